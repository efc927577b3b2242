//! The secrets with which requests to webhooks are signed.
//!
//! Each is derived from a secret of the Worker, so that the database contains no secrets.

use contract::SigningSecret;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use std::fmt;

/// The Worker's secret from which webhook secrets are derived.
#[derive(Clone)]
pub(crate) struct RootSecret(Hmac<Sha256>);

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
        <[u8; 32]>::from(mac.finalize().into_bytes()).into()
    }
}

impl fmt::Debug for RootSecret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("RootSecret(redacted)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root() -> RootSecret {
        RootSecret::new("0123456789abcdef0123456789abcdef").unwrap()
    }

    #[test]
    fn every_webhook_and_every_version_has_a_secret_of_its_own() {
        let of = |webhook_uuid, version| root().derive(SecretVersion { webhook_uuid, version }).reveal();
        assert_eq!(of("a", 1), of("a", 1));
        assert_ne!(of("a", 1), of("a", 2));
        assert_ne!(of("a", 1), of("b", 1));
        assert!(of("a", 1).parse::<SigningSecret>().is_ok());
    }

    #[test]
    fn a_short_root_is_rejected_and_no_secret_is_printed() {
        assert!(RootSecret::new("short").is_none());
        let secret = root().derive(SecretVersion { webhook_uuid: "a", version: 1 });
        assert_eq!(format!("{:?} {secret:?}", root()), "RootSecret(redacted) SigningSecret(redacted)");
    }
}
