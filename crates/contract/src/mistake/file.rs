//! Sentences about files: a name or an address in place of the file, and files in the wrong field.

use super::{sentence, shown, with_commas};

/// The answer to an address in place of a file.
pub const FETCHES_NO_URLS: &str =
    "Uploads are sent as a file; this service does not fetch URLs. With curl, use `-F file=@clip.mp4`.";

/// The answer to a form without a video.
pub const NO_FILE: &str = "The form has no field `file` with the video. With curl, use `-F file=@clip.mp4`.";

/// The names under which other APIs take the address of a video.
const URL_FIELDS: [&str; 8] = ["url", "videourl", "fileurl", "mediaurl", "sourceurl", "remoteurl", "source", "link"];

/// Texts that a program sends in place of the file, by their beginning, and the cause.
const STAND_INS: &[(&str, &str)] = &[
    ("[object ", "a JavaScript object was turned into text. Append a `Blob` or a `File` to the form"),
    ("<_io.", "a Python file object was turned into text. Pass it in `files=`, not in `data=`"),
    ("resource id", "a PHP resource was turned into text. Send `new CURLFile('clip.mp4')`"),
    ("data:", "this is a data URL. Send the bytes of the file"),
    ("undefined", "the variable is undefined. Check where the file comes from"),
    ("null", "the variable is empty. Check where the file comes from"),
];

/// A longer text is a file that was sent as a text, and not the name of one.
pub const MAX_NAME_BYTES: usize = 200;

/// Whether other APIs take the address of a video in this field.
pub fn is_url_field(name: &str) -> bool {
    let plain = name.to_ascii_lowercase().replace(['_', '-'], "");
    URL_FIELDS.contains(&plain.as_str())
}

/// Whether the bytes are a text that may stand in place of a file: short, and without control characters.
pub fn is_short_text(bytes: &[u8]) -> bool {
    let is_plain = |text: &str| !text.chars().any(|c| c.is_control() && !c.is_ascii_whitespace());
    (1..=MAX_NAME_BYTES).contains(&bytes.len()) && std::str::from_utf8(bytes).is_ok_and(is_plain)
}

/// Explains a field for a file that got a text. A text that was sent as a file may be one, so it is not shown.
pub fn not_a_file(name: &str, bytes: &[u8], is_sent_as_file: bool) -> String {
    let line = std::str::from_utf8(bytes).ok().filter(|text| is_name(text)).map(str::trim);
    let Some(text) = line.filter(|_| !is_sent_as_file) else {
        let length = with_commas(bytes.len() as u64);
        let problem = if line.is_some() {
            " bytes of text. Send the file itself, not its name. With"
        } else {
            " bytes of text. With"
        };
        return sentence(&["`", name, "` has only ", &length, problem, " curl, use `-F ", name, "=@clip.mp4`."]);
    };
    let lower = text.to_ascii_lowercase();
    if lower.starts_with("http://") || lower.starts_with("https://") {
        return FETCHES_NO_URLS.replace("file=", &[name, "="].concat());
    }
    let value = shown(text);
    if let Some((_, cause)) = STAND_INS.iter().find(|(start, _)| lower.starts_with(start)) {
        return sentence(&["`", name, "` is the text ", &value, ", not a file: ", cause, "."]);
    }
    if let Some(path) = text.strip_prefix('@') {
        let path = shown(path).replace('`', "");
        return sentence(&[
            "`",
            name,
            "` is the text ",
            &value,
            ", not a file. Use curl's `-F` without `--form-string`; in PHP, `new CURLFile('",
            &path,
            "')`.",
        ]);
    }
    let path = if value.starts_with('`') { value.trim_matches('`') } else { "clip.mp4" };
    sentence(&["`", name, "` is the text ", &value, ", not a file. With curl, use `-F ", name, "=@", path, "`."])
}

fn is_name(text: &str) -> bool {
    let text = text.trim();
    !text.is_empty() && text.len() <= MAX_NAME_BYTES && !text.chars().any(char::is_control)
}

/// Explains that the video was sent in another field.
pub fn misnamed_file(name: &str) -> String {
    let value = shown(name);
    sentence(&[
        "The file is in ",
        &value,
        ". Send the video in a form field named `file`: with curl, use `-F file=@clip.mp4`.",
    ])
}

/// Explains a file that is not a picture of an accepted format.
pub fn not_a_picture(name: &str, bytes: &[u8], is_sent_as_file: bool) -> String {
    if bytes.is_empty() {
        return sentence(&["`", name, "` is missing or empty. Send a JPEG, PNG or WebP picture of at most 2 MB."]);
    }
    let format = match bytes {
        [b'G', b'I', b'F', ..] => " is a GIF",
        [b'<', ..] => " is an SVG or a web page",
        [_, _, _, _, b'f', b't', b'y', b'p', ..] => " is a HEIC or AVIF picture, or a video",
        [b'B', b'M', ..] => " is a BMP picture",
        _ if std::str::from_utf8(bytes).is_ok_and(is_name) => return not_a_file(name, bytes, is_sent_as_file),
        _ => " is not a picture in a supported format",
    };
    sentence(&["`", name, "`", format, ". Send a JPEG, PNG or WebP picture of at most 2 MB."])
}

/// Explains a picture that is too large.
pub fn too_large_picture(name: &str, max_bytes: usize) -> String {
    let most = with_commas(max_bytes as u64);
    sentence(&["`", name, "` has more than ", &most, " bytes, the maximum. Send a smaller picture."])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_in_place_of_a_file_is_named_with_its_cause() {
        for (text, expected) in [
            ("clip.mp4", "`file` is the text `clip.mp4`, not a file. With curl, use `-F file=@clip.mp4`."),
            ("https://a.example/b.mp4", FETCHES_NO_URLS),
            (
                "[object Object]",
                "`file` is the text `[object Object]`, not a file: a JavaScript object was turned into text. Append a `Blob` or a `File` to the form.",
            ),
            (
                "@clip.mp4",
                "`file` is the text `@clip.mp4`, not a file. Use curl's `-F` without `--form-string`; in PHP, `new CURLFile('clip.mp4')`.",
            ),
            ("cgk_0000", "`file` is the text (hidden), not a file. With curl, use `-F file=@clip.mp4`."),
        ] {
            assert_eq!(not_a_file("file", text.as_bytes(), false), expected);
        }
    }

    #[test]
    fn the_content_of_a_file_is_not_shown() {
        for (bytes, is_sent_as_file) in [(&b"hidden words"[..], true), (b"hidden\nwords", false), (&[b'h'; 300], false)]
        {
            let told = not_a_file("file", bytes, is_sent_as_file);
            assert!(!told.contains("hidden") && !told.contains("hhh") && told.contains("bytes of text"), "{told}");
        }
    }

    #[test]
    fn a_picture_of_another_format_is_named() {
        assert!(not_a_picture("thumbnail_file", b"GIF89a", true).starts_with("`thumbnail_file` is a GIF. Send a JPEG"));
        assert!(not_a_picture("thumbnail_file", b"cover.jpg", false).contains("-F thumbnail_file=@cover.jpg"));
        assert!(not_a_picture("thumbnail_file", b"", true).contains("is missing or empty"));
    }
}
