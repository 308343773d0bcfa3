// Passkeys in the browser. A button with data-passkey="sign-in" or data-passkey="register" is shown where they work, and
// goes to data-next when they did. What happens is said in the [role=status] beside it.

const json = { "content-type": "application/json" };

async function call(path, body) {
  // The service looks where a request comes from, and our pages tell no other site.
  const own = { method: "POST", headers: json, referrerPolicy: "same-origin" };
  const response = await fetch(path, { ...own, body: JSON.stringify(body) });
  const answer = await response.json().catch(() => ({}));
  if (response.ok) return answer;
  const { reason, suggestion } = answer.error ?? {};
  throw new Error([reason ?? "The service did not answer.", suggestion].filter(Boolean).join(" "));
}

const bytes = (text) => {
  const plain = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(plain, (letter) => letter.charCodeAt(0));
};

const text = (buffer) =>
  btoa(String.fromCharCode(...new Uint8Array(buffer)))
    .replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

const named = (known) => ({ ...known, id: bytes(known.id) });

async function create(asked) {
  const made = await navigator.credentials.create({
    publicKey: {
      ...asked,
      challenge: bytes(asked.challenge),
      user: { ...asked.user, id: bytes(asked.user.id) },
      excludeCredentials: (asked.excludeCredentials ?? []).map(named),
    },
  });
  return {
    id: made.id,
    rawId: text(made.rawId),
    type: made.type,
    response: {
      attestationObject: text(made.response.attestationObject),
      clientDataJSON: text(made.response.clientDataJSON),
    },
  };
}

const get = (challenge, asked) =>
  navigator.credentials.get({
    publicKey: {
      ...asked,
      challenge,
      userVerification: "required",
      allowCredentials: (asked.allowCredentials ?? []).map(named),
    },
  });

async function signIn() {
  const { ceremony_id, public_key } = await call("/api/auth/sign-in/passkey/options", {});
  const given = await get(bytes(public_key.challenge), public_key);
  const { authenticatorData, clientDataJSON, signature, userHandle } = given.response;
  const credential = {
    id: given.id,
    rawId: text(given.rawId),
    type: given.type,
    response: {
      authenticatorData: text(authenticatorData),
      clientDataJSON: text(clientDataJSON),
      signature: text(signature),
      userHandle: userHandle && text(userHandle),
    },
  };
  await call("/api/auth/sign-in/passkey/verify", { ceremony_id, credential });
}

// The word of a passkey over 32 bytes, as sealAction and confirmations take it.
export async function assert(challenge, { rpId, known }) {
  const allowCredentials = known.map((id) => ({ type: "public-key", id }));
  const given = await get(challenge, { rpId, allowCredentials });
  return {
    credential_id: given.id,
    authenticator_data: text(given.response.authenticatorData),
    client_data_json: text(given.response.clientDataJSON),
    signature: text(given.response.signature),
  };
}

// A linked wallet signs the message as it is.
async function byWallet(words) {
  const wallet = window.ethereum;
  if (!wallet) throw new Error("A linked wallet has to confirm the passkey: open this page in the browser that has it.");
  const [signer] = await wallet.request({ method: "eth_requestAccounts" });
  const message = "0x" + Array.from(words, (byte) => byte.toString(16).padStart(2, "0")).join("");
  const signature = await wallet.request({ method: "personal_sign", params: [message, signer] });
  return { signer, signature };
}

// What the account has already vouches for the new passkey: another one, or else a wallet.
async function confirm(message, made, asked, say) {
  const known = (asked.excludeCredentials ?? []).map(({ id }) => id);
  const words = new TextEncoder().encode(message.replace("{credential_id}", made.id));
  say(`Now confirm it with a ${known.length ? "passkey" : "wallet"} that you have already.`);
  if (known.length === 0) return byWallet(words);
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", words));
  return { passkey: await assert(digest, { rpId: asked.rp.id, known }) };
}

async function register(say) {
  const options = await call("/api/auth/passkeys/options", {});
  const { ceremony_id, public_key, confirmation_message } = options;
  const credential = await create(public_key);
  const confirmation =
    confirmation_message && (await confirm(confirmation_message, credential, public_key, say));
  await call("/api/auth/passkeys/verify", { ceremony_id, credential, confirmation });
}

// What browsers say when somebody closes their question, or is asked for what they have.
const said = {
  AbortError: "Nothing was done.",
  InvalidStateError: "This device has a passkey of yours already.",
  NotAllowedError: "Nothing was done: the question was closed or took too long.",
};

function beside(button) {
  for (let place = button.parentElement; place; place = place.parentElement) {
    const status = place.querySelector("[role=status]");
    if (status) return status;
  }
  return document.createElement("p");
}

const acts = { "sign-in": signIn, register };

function offer(button) {
  const act = acts[button.dataset.passkey];
  if (!act) return;
  const status = beside(button);
  const say = (words) => { status.textContent = words; };
  button.addEventListener("click", async () => {
    button.disabled = true;
    say("Waiting for your passkey.");
    try {
      await act(say);
      say("Done.");
      const next = new URL(button.dataset.next || "/", location.href);
      // Wherever the page says, but on this site.
      location.assign(next.origin === location.origin ? next.href : "/");
    } catch (fault) {
      say(said[fault.name] ?? fault.message);
      button.disabled = false;
    }
  });
  button.hidden = false;
}

if (window.PublicKeyCredential && navigator.credentials) {
  document.querySelectorAll("[data-passkey]").forEach(offer);
}
