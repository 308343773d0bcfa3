//! The secrets of webhooks, in the form of Standard Webhooks, and the signatures they make.

use aws_lc_rs::hmac;
use base64::Engine;
use base64::prelude::BASE64_STANDARD as BASE64;
use guildhall_core::WebhookId;
use guildhall_core::webhook::SealedSecret;
use guildhall_store::Sealer;

use crate::error::{Error, Result};
use crate::mint::Mint;

/// A new secret as it is shown, and as it is kept.
pub(super) fn new_secret(sealer: &Sealer, webhook: WebhookId) -> Result<(String, SealedSecret)> {
    let key = Mint::bytes::<32>()?;
    let kept = sealer.seal(&key, webhook.to_string().as_bytes())?;
    Ok((format!("whsec_{}", BASE64.encode(key)), kept))
}

/// The value of `webhook-signature`: one signature for each secret, over id, timestamp and body.
pub(super) fn signatures<'s>(
    sealer: &Sealer,
    webhook: WebhookId,
    secrets: impl Iterator<Item = &'s SealedSecret>,
    (id, timestamp, body): (&str, i64, &[u8]),
) -> Result<String> {
    let signed = [format!("{id}.{timestamp}.").as_bytes(), body].concat();
    let mut signatures = Vec::new();
    for sealed in secrets {
        let key = sealer.open(sealed, webhook.to_string().as_bytes());
        let key = key.ok_or_else(|| Error::internal(format!("the secret of {webhook}")))?;
        let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, &key), &signed);
        signatures.push(format!("v1,{}", BASE64.encode(tag.as_ref())));
    }
    Ok(signatures.join(" "))
}

#[cfg(test)]
mod tests {
    use guildhall_core::{Secret, Timestamp};

    use super::*;

    /// The example of the Standard Webhooks specification.
    #[test]
    fn signatures_are_those_of_the_standard() {
        let key = BASE64.decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").unwrap();
        let webhook = WebhookId::new(Timestamp::from_millis(1), 0, 1);
        let keeper = Sealer::new(&Secret::new([7; 32]), "webhooks");
        let sealed = vec![keeper.seal(&key, webhook.to_string().as_bytes()).unwrap(); 2];
        let message =
            ("msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, &b"{\"test\": 2432232314}"[..]);
        let one = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
        let signed = |secrets: &[SealedSecret]| {
            signatures(&keeper, webhook, secrets.iter(), message).unwrap()
        };
        assert_eq!(signed(&sealed[..1]), one);
        assert_eq!(signed(&sealed), format!("{one} {one}"));
        let other = WebhookId::new(Timestamp::from_millis(1), 0, 2);
        assert!(
            signatures(&keeper, other, sealed.iter(), message).is_err(),
            "bound to its webhook"
        );
    }

    #[test]
    fn a_secret_is_thirty_two_bytes_and_kept_sealed() {
        let webhook = WebhookId::new(Timestamp::from_millis(1), 0, 1);
        let keeper = Sealer::new(&Secret::new([7; 32]), "webhooks");
        let (shown, sealed) = new_secret(&keeper, webhook).unwrap();
        let key = BASE64.decode(shown.strip_prefix("whsec_").unwrap()).unwrap();
        assert_eq!(key.len(), 32);
        assert_eq!(keeper.open(&sealed, webhook.to_string().as_bytes()).unwrap(), key);
        assert!(!sealed.windows(32).any(|window| window == key));
    }
}
