//! Secrets that programs present: a prefix, 40 random base62 characters, and a checksum of 6 characters.
//!
//! Typos and garbage are rejected without a database query, and programs that search for leaked secrets recognise them.

use crate::platform::entropy::{Entropy, base62_digit, random_base62};

/// 62^40 is a little more than 2^238, so a secret cannot be guessed.
const SECRET_LENGTH: usize = 40;
const CHECKSUM_LENGTH: usize = 6;
/// The length of the text behind the prefix.
pub(crate) const LENGTH: usize = SECRET_LENGTH + CHECKSUM_LENGTH;

pub(crate) fn generate(prefix: &str, entropy: &mut impl Entropy) -> String {
    let secret = random_base62::<SECRET_LENGTH>(entropy);
    let checksum = checksum(&secret);
    format!("{prefix}{secret}{checksum}")
}

/// Whether `generate` could have produced the text.
pub(crate) fn is_well_formed(prefix: &str, text: &str) -> bool {
    let Some(body) = text.strip_prefix(prefix) else { return false };
    if body.len() != LENGTH || !body.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return false;
    }
    body.split_at_checked(SECRET_LENGTH).is_some_and(|(secret, sum)| checksum(secret) == sum)
}

/// Returns the CRC32 of the secret in base62, most significant digit first, padded with zeros.
fn checksum(secret: &str) -> String {
    let mut rest = crc32fast::hash(secret.as_bytes());
    let mut digits = [b'0'; CHECKSUM_LENGTH];
    for digit in digits.iter_mut().rev() {
        *digit = base62_digit(rest);
        rest /= 62;
    }
    digits.iter().copied().map(char::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::entropy::testing::Seeded;

    #[test]
    fn a_secret_has_only_letters_and_digits_even_if_its_checksum_fits() {
        let text = generate("x_", &mut Seeded::new(7));
        assert!(is_well_formed("x_", &text) && !is_well_formed("y_", &text));
        let secret = text["x_".len()..][..SECRET_LENGTH].replacen(char::is_alphanumeric, "-", 1);
        assert!(!is_well_formed("x_", &format!("x_{secret}{}", checksum(&secret))));
    }
}
