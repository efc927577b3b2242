//! The fingerprint of an upload, for recognising replays.

use super::attachments::Attachments;
use super::form::fields::Fields;
use crate::base::refusal::Refusal;
use crate::people::auth::hash::sha256_hex;

/// The number of characters that a compacted content keeps of its fingerprint. No stored fingerprint is shorter.
const SHORT_FINGERPRINT: usize = 32;

/// Whether a fingerprint matches the stored fingerprint, or its first half, which a compacted content keeps.
pub(super) fn is_same(stored: &str, fingerprint: &str) -> bool {
    stored.len() >= SHORT_FINGERPRINT && fingerprint.starts_with(stored)
}

/// Returns a hash of the file, the picture, the captions and every field except the token. Equal hashes mean the same
/// upload. An upload without captions has the hash that it had before captions existed, so stored hashes stay valid.
pub(super) fn fingerprint(sha256: &str, fields: &Fields, attachments: &Attachments) -> Result<String, Refusal> {
    let picture = attachments.picture_sha256.as_deref();
    let captions: Vec<_> = attachments.captions.iter().map(|one| (&one.file.language, &one.file.sha256)).collect();
    let text = if captions.is_empty() {
        serde_json::to_vec(&(sha256, fields, picture))
    } else {
        serde_json::to_vec(&(sha256, fields, picture, captions))
    };
    Ok(sha256_hex(&text.map_err(Refusal::internal)?))
}
