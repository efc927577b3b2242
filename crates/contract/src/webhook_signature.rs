//! The signatures of webhooks, by the rules of Standard Webhooks (`v1`, HMAC-SHA256).

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

pub const WEBHOOK_ID: &str = "webhook-id";
pub const WEBHOOK_TIMESTAMP: &str = "webhook-timestamp";
pub const WEBHOOK_SIGNATURE: &str = "webhook-signature";

const PREFIX: &str = "whsec_";

/// The lengths that Standard Webhooks allows.
const BYTES: RangeInclusive<usize> = 24..=64;

/// The secret that signs the requests to one receiver.
#[derive(Clone)]
pub struct SigningSecret(Vec<u8>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidSecret;

/// A request to a receiver, before it is signed.
#[derive(Clone, Copy, Debug)]
pub struct WebhookMessage<'a> {
    /// The id of the event. It is the same in every attempt.
    pub id: &'a str,
    pub timestamp_unix: u64,
    pub body: &'a str,
}

impl SigningSecret {
    /// Returns the secret in the form that receivers are configured with.
    pub fn reveal(&self) -> String {
        format!("{PREFIX}{}", STANDARD.encode(&self.0))
    }

    fn sign(&self, message: &WebhookMessage<'_>) -> String {
        let signed = format!("{}.{}.{}", message.id, message.timestamp_unix, message.body);
        // An HMAC takes keys of any length.
        let mac = Hmac::<Sha256>::new_from_slice(&self.0).map(|mac| mac.chain_update(signed).finalize().into_bytes());
        format!("v1,{}", STANDARD.encode(mac.unwrap_or_default()))
    }
}

impl WebhookMessage<'_> {
    /// Returns the headers of the request, with one signature per secret.
    pub fn headers(&self, secrets: &[SigningSecret]) -> [(&'static str, String); 3] {
        let signatures: Vec<_> = secrets.iter().map(|secret| secret.sign(self)).collect();
        [
            (WEBHOOK_ID, self.id.to_owned()),
            (WEBHOOK_TIMESTAMP, self.timestamp_unix.to_string()),
            (WEBHOOK_SIGNATURE, signatures.join(" ")),
        ]
    }
}

impl From<[u8; 32]> for SigningSecret {
    fn from(bytes: [u8; 32]) -> Self {
        Self(bytes.to_vec())
    }
}

impl FromStr for SigningSecret {
    type Err = InvalidSecret;

    fn from_str(text: &str) -> Result<Self, InvalidSecret> {
        let encoded = text.trim().strip_prefix(PREFIX).ok_or(InvalidSecret)?;
        let bytes = STANDARD.decode(encoded).map_err(|_| InvalidSecret)?;
        if BYTES.contains(&bytes.len()) { Ok(Self(bytes)) } else { Err(InvalidSecret) }
    }
}

impl fmt::Debug for SigningSecret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("SigningSecret(redacted)")
    }
}

impl fmt::Display for InvalidSecret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("this is not a signing secret: it has the form `whsec_` and 24 to 64 bytes in base64")
    }
}

impl std::error::Error for InvalidSecret {}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

    const MESSAGE: WebhookMessage<'_> = WebhookMessage {
        id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
        timestamp_unix: 1_614_265_330,
        body: r#"{"test": 2432232314}"#,
    };

    #[test]
    fn the_example_of_the_specification_has_its_signature() {
        let headers = MESSAGE.headers(&[SECRET.parse().unwrap()]);
        assert_eq!(
            headers.map(|(name, value)| format!("{name}: {value}")),
            [
                "webhook-id: msg_p5jXN8AQM9LWM0D4loKWxJek",
                "webhook-timestamp: 1614265330",
                "webhook-signature: v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
            ]
        );
    }

    #[test]
    fn each_secret_adds_a_signature() {
        let secrets = [1, 2].map(|byte| SigningSecret::from([byte; 32]));
        let signature = |secrets: &[SigningSecret]| MESSAGE.headers(secrets)[2].1.clone();
        assert_eq!(signature(&secrets), format!("{} {}", signature(&secrets[..1]), signature(&secrets[1..])));
    }

    #[test]
    fn a_secret_has_one_text_and_is_never_printed() {
        let secret: SigningSecret = SECRET.parse().unwrap();
        assert_eq!((secret.reveal(), format!("{secret:?}")), (SECRET.to_owned(), "SigningSecret(redacted)".to_owned()));
        for text in ["", "whsec_", "whsec_YQ==", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_?"] {
            assert_eq!(text.parse::<SigningSecret>().err(), Some(InvalidSecret), "{text}");
        }
        let of_length = |length| format!("whsec_{}", STANDARD.encode(vec![0; length])).parse::<SigningSecret>();
        assert_eq!([23, 24, 64, 65].map(|length| of_length(length).is_ok()), [false, true, true, false]);
    }
}
