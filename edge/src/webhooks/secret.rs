//! The secrets with which requests to webhooks are signed.
//!
//! Each is derived from a secret of the Worker, so that a copy of the database contains none.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use std::fmt;

/// The secret of the Worker from which those of the webhooks are derived.
#[derive(Clone)]
pub(crate) struct RootSecret(Hmac<Sha256>);

/// The secret of one webhook.
#[derive(Clone)]
pub(crate) struct SigningSecret(Vec<u8>);

/// Identifies one version of a webhook's secret. Each rotation starts a new one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SecretVersion<'a> {
    pub webhook_uuid: &'a str,
    pub version: u64,
}

impl RootSecret {
    /// Returns `None` if the secret is shorter than 32 characters.
    pub(crate) fn new(secret: &str) -> Option<Self> {
        const SHORTEST: usize = 32;
        if secret.len() < SHORTEST {
            return None;
        }
        Hmac::new_from_slice(secret.as_bytes()).ok().map(Self)
    }

    pub(crate) fn derive(&self, SecretVersion { webhook_uuid, version }: SecretVersion<'_>) -> SigningSecret {
        let mut mac = self.0.clone();
        mac.update(format!("webhook {webhook_uuid} {version}").as_bytes());
        SigningSecret(mac.finalize().into_bytes().to_vec())
    }
}

impl SigningSecret {
    /// Returns the secret as the webhook's owner gets it.
    pub(crate) fn reveal(&self) -> String {
        format!("whsec_{}", STANDARD.encode(&self.0))
    }

    /// Signs a message by the rules of Standard Webhooks.
    pub(crate) fn sign(&self, id: &str, timestamp: &str, body: &str) -> String {
        // HMAC accepts keys of any length.
        let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(&self.0) else { return String::new() };
        for part in [id, ".", timestamp, ".", body] {
            mac.update(part.as_bytes());
        }
        format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()))
    }
}

impl fmt::Debug for RootSecret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("RootSecret(redacted)")
    }
}

impl fmt::Debug for SigningSecret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("SigningSecret(redacted)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root() -> RootSecret {
        RootSecret::new("0123456789abcdef0123456789abcdef").unwrap()
    }

    #[test]
    fn the_signature_is_that_of_the_published_example() {
        // From the tests of the public libraries.
        let secret = SigningSecret(STANDARD.decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").unwrap());
        assert_eq!(secret.reveal(), "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
        let signature = secret.sign("msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", "{\"test\": 2432232314}");
        assert_eq!(signature, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }

    #[test]
    fn every_webhook_and_every_version_has_a_secret_of_its_own() {
        let of = |webhook_uuid, version| root().derive(SecretVersion { webhook_uuid, version }).reveal();
        assert_eq!(of("a", 1), of("a", 1));
        assert_ne!(of("a", 1), of("a", 2));
        assert_ne!(of("a", 1), of("b", 1));
        // 24 to 64 bytes, as Standard Webhooks demands.
        assert_eq!(STANDARD.decode(&of("a", 1)["whsec_".len()..]).unwrap().len(), 32);
    }

    #[test]
    fn a_short_root_is_rejected_and_no_secret_is_printed() {
        assert!(RootSecret::new("short").is_none());
        let secret = root().derive(SecretVersion { webhook_uuid: "a", version: 1 });
        assert_eq!(format!("{:?} {secret:?}", root()), "RootSecret(redacted) SigningSecret(redacted)");
    }
}
