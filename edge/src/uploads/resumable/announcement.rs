//! The announcement of a client before the first byte: the length of the file, and the fields in `Upload-Metadata`.

use crate::base::refusal::Refusal;
use crate::base::unknown_fields::UnknownFields;
use crate::uploads::direct::Rules;
use crate::uploads::form::captions::language_in;
use crate::uploads::form::fields::Fields;
use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use contract::{ErrorCode, FormField};
use std::collections::BTreeMap;

/// Some clients pad base64, and others do not.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// The most bytes of the header. All fields at their longest have less in base64.
const MAX_BYTES: usize = 48 * 1024;

/// Names that tus clients send on their own. The content of the file decides, not its name.
const IGNORED: [&str; 6] = ["filename", "filetype", "name", "type", "relativePath", "contentType"];

const SHA256: &str = "sha256";

/// The announced upload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Announcement {
    pub length: u64,
    pub fields: Fields,
    /// The texts of the fields as they were sent, without the token.
    pub texts: BTreeMap<String, String>,
    /// The SHA-256 that the file is to have.
    pub sha256: Option<String>,
}

impl Announcement {
    /// Reads the announcement of a file of this length. The token may have come in a header of its own.
    pub(crate) fn read(
        length: u64,
        metadata: &str,
        token: Option<String>,
        unknown: &UnknownFields,
    ) -> Result<Self, Refusal> {
        let fields = Fields { upload_token: token, ..Fields::default() };
        let mut announced = Self { length, fields, texts: BTreeMap::new(), sha256: None };
        for (name, text) in parse(metadata)? {
            announced.set(&name, text, unknown)?;
        }
        if announced.fields.upload_token.is_some() && announced.sha256.is_none() {
            let detail = "A resumable upload with `upload_token` also needs `sha256`, the hash of the file, to \
                          recognize a retry before its first byte.";
            return Err(Refusal::of_field(FormField::UploadToken).with_detail(detail));
        }
        Ok(announced)
    }

    /// Adds the fields that the owner of the channel sets, and refuses those that the user may not set.
    pub(crate) fn restricted_by(mut self, rules: &Rules) -> Result<Self, Refusal> {
        let owner = rules.owner_fields()?;
        if self.fields.upload_token.is_some() {
            owner.require_settable(FormField::UploadToken.name())?;
        }
        self.texts.keys().try_for_each(|name| owner.require_settable(name))?;
        self.texts.extend(rules.fields.clone());
        self.fields = fields_of(&self.texts)?;
        Ok(self)
    }

    fn set(&mut self, name: &str, text: String, unknown: &UnknownFields) -> Result<(), Refusal> {
        if name == SHA256 {
            self.sha256 = Some(parse_sha256(&text)?);
        } else if is_file(name) {
            let detail = "`Upload-Metadata` cannot contain a thumbnail picture or captions. Send them with \
                          `update_thumbnail` and `update_captions` once the video is uploaded.";
            return Err(invalid(detail).with_field(name));
        } else if let Some(field) = FormField::named(name).filter(|field| field.max_text_bytes().is_some()) {
            self.fields.set(field, &text)?;
            if field != FormField::UploadToken {
                self.texts.insert(name.to_owned(), text);
            }
        } else if !IGNORED.contains(&name) {
            unknown.take_field(name, FormField::NAMES)?;
        }
        Ok(())
    }
}

/// Reads fields from the texts that were stored when they were valid.
pub(super) fn fields_of(texts: &BTreeMap<String, String>) -> Result<Fields, Refusal> {
    let mut fields = Fields::default();
    for (name, text) in texts {
        let field = FormField::named(name).ok_or_else(|| Refusal::internal("a stored field is unknown"))?;
        fields.set(field, text)?;
    }
    Ok(fields)
}

fn is_file(name: &str) -> bool {
    matches!(FormField::named(name), Some(FormField::ThumbnailFile | FormField::File | FormField::CaptionsFile))
        || language_in(name).is_some()
}

fn parse(metadata: &str) -> Result<Vec<(String, String)>, Refusal> {
    if metadata.len() > MAX_BYTES {
        return Err(invalid(format!("The header has more than {MAX_BYTES} bytes.")));
    }
    let mut pairs: Vec<(String, String)> = Vec::new();
    for pair in metadata.split(',').map(str::trim).filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once(' ').unwrap_or((pair, ""));
        if pairs.iter().any(|(earlier, _)| earlier == name) {
            return Err(invalid("Duplicate field. Send it once.").with_field(name));
        }
        pairs.push((name.to_owned(), decode(name, value.trim())?));
    }
    Ok(pairs)
}

fn decode(name: &str, value: &str) -> Result<String, Refusal> {
    let bytes = BASE64
        .decode(value)
        .map_err(|_| invalid("The value of the field is not base64. Encode each value on its own.").with_field(name))?;
    let text = String::from_utf8(bytes).map_err(|_| invalid("The field is not UTF-8. Encode it as UTF-8."));
    let text = text.map_err(|refusal| refusal.with_field(name))?;
    if text.contains('\0') {
        return Err(invalid("The field contains a NUL character. Remove it.").with_field(name));
    }
    Ok(text)
}

fn parse_sha256(text: &str) -> Result<String, Refusal> {
    const LENGTH: usize = 64;
    let is_hash = text.len() == LENGTH && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let wrong = || invalid("It must be the SHA-256 of the file, as 64 hexadecimal digits.").with_field(SHA256);
    is_hash.then(|| text.to_ascii_lowercase()).ok_or_else(wrong)
}

fn invalid(detail: impl Into<String>) -> Refusal {
    Refusal::new(ErrorCode::UploadMetadataInvalid).with_detail(detail)
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD};
    use proptest::prelude::*;

    fn read(metadata: &str) -> Result<Announcement, &'static str> {
        let read = Announcement::read(1, metadata, None, &UnknownFields::default());
        read.map_err(|refusal| refusal.code.as_str())
    }

    fn pair(name: &str, text: &str) -> String {
        format!("{name} {}", STANDARD.encode(text))
    }

    #[test]
    fn fields_are_read_and_validated_before_any_byte() {
        let announced = read(&[pair("caption", "Hello, world"), pair("thumbnail_time", "00:00:03")].join(",")).unwrap();
        assert_eq!(announced.fields.caption.as_deref(), Some("Hello, world"));
        assert_eq!(announced.fields.thumbnail_time_seconds, Some(3));
        assert_eq!(fields_of(&announced.texts).unwrap(), announced.fields);
        assert_eq!(read(&pair("caption", &"a".repeat(2_201))), Err("content_caption_invalid"));
    }

    #[test]
    fn padding_is_optional_and_names_without_a_value_are_empty() {
        let unpadded = format!("caption {}, relativePath, filename ", STANDARD_NO_PAD.encode("a"));
        assert_eq!(read(&unpadded).unwrap().fields.caption.as_deref(), Some("a"));
        assert_eq!(read("").unwrap().fields, Fields::default());
    }

    #[test]
    fn metadata_that_cannot_be_read_is_refused() {
        let twice = [pair("caption", "a"), pair("caption", "a")].join(",");
        let (nul, picture) = (pair("caption", "a\0b"), pair("thumbnail_file", "a"));
        let (captions, hash) = (pair("captions_file_de", "a"), pair("sha256", "abc"));
        let (long, not_utf8) = ("a".repeat(64 * 1024), format!("caption {}", STANDARD.encode([0xff])));
        for wrong in ["caption ü", "caption a b", &twice, &nul, &picture, &captions, &hash, &long, &not_utf8] {
            assert_eq!(read(wrong), Err("upload_metadata_invalid"), "{wrong:.80}");
        }
        assert_eq!(read(&pair("captoin", "a")), Err("field_unknown"));
    }

    #[test]
    fn a_token_needs_the_hash_of_the_file() {
        let token = pair("upload_token", "0190f0a8-7c3b-7d1e-8a11-1b2c3d4e5f60");
        assert_eq!(read(&token), Err("upload_token_invalid"));
        let announced = read(&[token, pair("sha256", &"A".repeat(64))].join(",")).unwrap();
        assert_eq!(announced.sha256, Some("a".repeat(64)));
        assert!(announced.fields.upload_token.is_some() && announced.texts.is_empty());
    }

    proptest! {
        #[test]
        fn any_header_is_read_or_refused(metadata in "[ -~]{0,200}") {
            let _ = read(&metadata);
        }
    }
}
