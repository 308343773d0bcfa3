//! The word of a passkey over something that is known beforehand: the digest of what is sealed or confirmed.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use guildhall_core::passkey::{Assertion, Passkey, Unverified, Use, Verifier};
use serde::Deserialize;
use serde_json::{Value, json as object};
use webauthn_rs::prelude::{
    AuthenticationResult, Passkey as Credential, PasskeyAuthentication, PublicKeyCredential,
};

use crate::ceremony::json;
use crate::error::{Error, Result};
use crate::party::Passkeys;

impl Verifier for Passkeys {
    fn verify(
        &self,
        passkey: &Passkey,
        assertion: &Assertion,
        challenge: &[u8; 32],
    ) -> Result<Use, Unverified> {
        self.check(passkey, assertion, challenge).map_err(|error| Unverified(error.to_string()))
    }
}

impl Passkeys {
    fn check(&self, passkey: &Passkey, assertion: &Assertion, challenge: &[u8; 32]) -> Result<Use> {
        let webauthn = &self.party()?.webauthn;
        let credential = stored(passkey)?;
        let (_, state) =
            webauthn.start_passkey_authentication(std::slice::from_ref(&credential))?;
        let state = with_challenge(&state, challenge)?;
        let answer = answer(assertion)?;
        check_own_page(&answer)?;
        let result = webauthn.finish_passkey_authentication(&answer, &state)?;
        used(credential, &result)
    }
}

/// A question that was never asked at random: its challenge is the digest of what is signed.
fn with_challenge(
    state: &PasskeyAuthentication,
    challenge: &[u8; 32],
) -> Result<PasskeyAuthentication> {
    let mut state = json(state)?;
    let place = state.pointer_mut("/ast/challenge");
    *place.ok_or_else(|| Error::Broken("a question without a challenge".to_owned()))? =
        text(challenge).into();
    serde_json::from_value(state).map_err(|error| Error::Broken(error.to_string()))
}

fn answer(assertion: &Assertion) -> Result<PublicKeyCredential> {
    let credential = object!({
        "id": assertion.credential_id,
        "rawId": assertion.credential_id,
        "type": "public-key",
        "response": {
            "authenticatorData": assertion.authenticator_data,
            "clientDataJSON": assertion.client_data_json,
            "signature": assertion.signature,
            "userHandle": null,
        },
    });
    serde_json::from_value(credential)
        .map_err(|error| Error::Refused(format!("it cannot be read ({error})")))
}

/// Refuses what was made inside a page of another site: its user did not see whose question it was.
pub(crate) fn check_own_page(answer: &PublicKeyCredential) -> Result<()> {
    let client_data: Value = serde_json::from_slice(&answer.response.client_data_json)
        .map_err(|error| Error::Refused(format!("it cannot be read ({error})")))?;
    match client_data.get("crossOrigin") {
        Some(Value::Bool(true)) => {
            Err(Error::Refused("it was made inside a page of another site".to_owned()))
        }
        _ => Ok(()),
    }
}

/// The credential of a stored passkey.
pub(crate) fn stored(passkey: &Passkey) -> Result<Credential> {
    let read = Credential::deserialize(&passkey.credential);
    read.map_err(|error| Error::Broken(format!("{}: {error}", passkey.passkey_id)))
}

/// The credential after a use.
pub(crate) fn used(mut credential: Credential, result: &AuthenticationResult) -> Result<Use> {
    credential.update_credential(result);
    Ok(Use { credential: json(&credential)?, counter: result.counter().into() })
}

/// Bytes as JSON carries them.
pub(crate) fn text(bytes: &[u8]) -> String {
    BASE64.encode(bytes)
}
