// Passkeys on the pages: a button signs in with one, or adds one. Where a browser knows none, the buttons stay hidden
// and passwords work.

/** What a person is told, as it is. */
class Told extends Error {}

async function post(path, body) {
  const headers = { "content-type": "application/json" };
  const response = await fetch(path, { method: "POST", headers, body: JSON.stringify(body) });
  const answer = await response.json().catch(() => ({}));
  if (response.ok) return answer;
  const { reason, suggestion } = answer.error ?? { reason: "The service did not answer.", suggestion: "Try again." };
  throw new Told(`${reason} ${suggestion}`);
}

async function signIn() {
  const { ceremony_id, public_key } = await post("/api/auth/sign-in/passkey/options", {});
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(public_key);
  const credential = await navigator.credentials.get({ publicKey });
  await post("/api/auth/sign-in/passkey/verify", { ceremony_id, credential: credential.toJSON() });
}

async function register() {
  const { ceremony_id, public_key, confirmation_message } = await post("/api/auth/passkeys/options", {});
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(public_key);
  const credential = (await navigator.credentials.create({ publicKey })).toJSON();
  const message = confirmation_message?.replace("{credential_id}", credential.id);
  const confirmation = message && { passkey: await confirm(message, public_key) };
  await post("/api/auth/passkeys/verify", { ceremony_id, credential, confirmation });
}

/** The word of a passkey that the account has already: it signs the digest of the message. */
async function confirm(message, { rp, excludeCredentials: known }) {
  if (!known?.length) throw new Told("Your wallet has to confirm this passkey. Add it through the API.");
  const asked = { challenge: "", rpId: rp.id, allowCredentials: known, userVerification: "required" };
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(asked);
  publicKey.challenge = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(message));
  const { id, response } = (await navigator.credentials.get({ publicKey })).toJSON();
  const { authenticatorData, clientDataJSON, signature } = response;
  return { credential_id: id, authenticator_data: authenticatorData, client_data_json: clientDataJSON, signature };
}

function explained(error) {
  if (error instanceof Told) return error.message;
  if (error.name === "InvalidStateError") return "This device has a passkey of your account already.";
  if (error.name === "NotAllowedError") return "No passkey was given. Try again, or go on without one.";
  if (error.name === "SecurityError") return "Passkeys do not work at this address. Open the page by its host's name.";
  return "That did not work. Try again, or go on without a passkey.";
}

const CEREMONIES = { "sign-in": signIn, register };

function offer(button) {
  const status = button.parentElement.querySelector("[role=status]");
  button.hidden = false;
  button.addEventListener("click", async () => {
    button.disabled = true;
    status.textContent = "Your browser is asking for your passkey.";
    try {
      await CEREMONIES[button.dataset.passkey]();
      location.assign(button.dataset.next);
    } catch (error) {
      status.textContent = explained(error);
      button.disabled = false;
    }
  });
}

if (globalThis.PublicKeyCredential?.parseRequestOptionsFromJSON) {
  document.querySelectorAll("[data-passkey]").forEach(offer);
}
