//! Signs events as webhooks are signed, by the rules of Standard Webhooks (`v1`, HMAC-SHA256).

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use std::fmt;
use std::str::FromStr;

const PREFIX: &str = "whsec_";
const SECRET_BYTES: usize = 24;

/// The secret that signs forwarded events.
#[derive(Clone)]
pub struct SigningSecret(Vec<u8>);

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this is not a signing secret: it has the form `whsec_` and 24 to 64 bytes in base64")]
pub struct InvalidSecret;

impl SigningSecret {
    pub fn generate() -> Result<Self, getrandom::Error> {
        let mut secret = vec![0; SECRET_BYTES];
        getrandom::fill(&mut secret)?;
        Ok(Self(secret))
    }

    /// Returns the secret in the form that receivers are configured with.
    pub fn expose(&self) -> String {
        format!("{PREFIX}{}", STANDARD.encode(&self.0))
    }

    /// Returns the headers of a message.
    pub fn headers(&self, id: &str, timestamp_unix: u64, body: &str) -> [(&'static str, String); 3] {
        let timestamp = timestamp_unix.to_string();
        let signature = self.sign(&format!("{id}.{timestamp}.{body}"));
        [("webhook-id", id.to_owned()), ("webhook-timestamp", timestamp), ("webhook-signature", signature)]
    }

    fn sign(&self, signed: &str) -> String {
        let mac = Hmac::<Sha256>::new_from_slice(&self.0).map(|mac| mac.chain_update(signed).finalize().into_bytes());
        // An HMAC takes keys of any length.
        format!("v1,{}", STANDARD.encode(mac.unwrap_or_default()))
    }
}

impl FromStr for SigningSecret {
    type Err = InvalidSecret;

    fn from_str(text: &str) -> Result<Self, InvalidSecret> {
        let encoded = text.trim().strip_prefix(PREFIX).ok_or(InvalidSecret)?;
        let secret = STANDARD.decode(encoded).map_err(|_| InvalidSecret)?;
        if (24..=64).contains(&secret.len()) { Ok(Self(secret)) } else { Err(InvalidSecret) }
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

    const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

    #[test]
    fn the_example_of_the_specification_has_its_signature() {
        let secret: SigningSecret = SECRET.parse().unwrap();
        let headers = secret.headers("msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, r#"{"test": 2432232314}"#);
        assert_eq!(headers[2].1, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }

    #[test]
    fn a_secret_survives_a_round_trip_and_is_never_printed() {
        let secret = SigningSecret::generate().unwrap();
        let again: SigningSecret = secret.expose().parse().unwrap();
        assert_eq!(again.expose(), secret.expose());
        assert_eq!(format!("{secret:?}"), "SigningSecret(redacted)");
        assert_eq!(SECRET.parse::<SigningSecret>().unwrap().expose(), SECRET);
        for text in ["", "whsec_", "whsec_YQ==", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_?"] {
            assert!(text.parse::<SigningSecret>().is_err(), "{text}");
        }
    }
}
