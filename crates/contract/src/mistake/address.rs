//! Sentences about wrong addresses and methods.

use super::name::distance;
use super::{sentence, shown};
use crate::paths;

/// The prefix of the addresses for programs.
const PROGRAMS: &str = "/api/php/developer/";

/// A documented address that is near the requested one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressHint {
    /// This one was probably meant.
    Path(&'static str),
    /// A video was addressed by its path.
    StatusOfVideo,
}

/// Returns the known address that was probably meant. `known` must have documented addresses only.
pub fn nearest_address(path: &str, known: &[&'static str]) -> Option<AddressHint> {
    let path = path.to_ascii_lowercase();
    let mut segments: Vec<&str> = path.split('/').filter(|segment| !is_filler(segment)).collect();
    let is_of_video = segments.last().is_some_and(|last| is_uuid(last));
    if is_of_video {
        segments.pop();
    }
    let last = *segments.last()?;
    let last = last.trim_end_matches(".php").trim_end_matches(".json").replace('-', "_");
    if is_of_video && matches!(last.as_str(), "upload_status" | "uploads" | "videos" | "video" | "contents" | "status")
    {
        return Some(AddressHint::StatusOfVideo);
    }
    let last = match last.as_str() {
        "videos" | "video" | "upload" | "media" => "upload_video",
        "status" => "upload_status",
        "limits" => "upload_limits",
        "delete" | "delete_video" => "delete_content",
        "update" | "update_video" => "update_content",
        "docs" | "documentation" => return Some(AddressHint::Path(paths::DOCS)),
        "openapi" | "swagger" | "api_docs" => return Some(AddressHint::Path(paths::OPENAPI)),
        other => other,
    };
    let name_of = |known: &&'static str| known.rsplit('/').next().unwrap_or_default();
    // A short name is near many others, so fewer of its letters may differ.
    let is_near = |known: &&'static str| {
        let name = name_of(known);
        let is_cut = last.len().abs_diff(name.len()) > 2;
        last.len() <= 40 && !is_cut && distance(last, name) <= name.len() / 5
    };
    let equal = known.iter().find(|known| name_of(known) == last);
    equal.or_else(|| known.iter().find(|known| is_near(known))).map(|known| AddressHint::Path(known))
}

/// Whether the segment is one that other APIs have in every address.
fn is_filler(segment: &str) -> bool {
    let version = segment.strip_prefix('v').unwrap_or_default();
    segment.is_empty() || !version.is_empty() && version.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
}

fn is_uuid(segment: &str) -> bool {
    segment.len() == 36 && segment.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
}

/// Explains that nothing exists at an address. `host` is the URL of the host that serves the suggested path, and `site`
/// that of the documentation; each may be empty.
pub fn wrong_address(hint: Option<AddressHint>, host: &str, site: &str) -> String {
    let (host, site) = (host.trim_end_matches('/'), site.trim_end_matches('/'));
    match hint {
        Some(AddressHint::Path(path)) => {
            sentence(&["Nothing exists at this address. Did you mean `", host, path, "`?"])
        }
        Some(AddressHint::StatusOfVideo) => sentence(&[
            "Nothing exists at this address. The status of a video is at `",
            host,
            paths::UPLOAD_STATUS,
            "?content_uuid=…`.",
        ]),
        None if site.is_empty() => "Nothing exists at this address. Check the path and the host.".to_owned(),
        None => sentence(&[
            "Nothing exists at this address. Programs call `",
            PROGRAMS,
            "…`; see ",
            site,
            paths::DOCS,
            " for all addresses.",
        ]),
    }
}

/// Explains a method that an address does not support. `allowed` is the value of the header `Allow`.
pub fn unsupported_method(method: &str, allowed: &str) -> String {
    let methods: Vec<&str> =
        allowed.split(',').map(str::trim).filter(|method| !matches!(*method, "" | "HEAD" | "OPTIONS")).collect();
    let words = methods.iter().map(|method| ["`", method, "`"].concat()).collect::<Vec<_>>().join(" or ");
    let words = if words.is_empty() { "one that the `Allow` header lists" } else { &words };
    sentence(&["This address does not support ", &shown(method), ". Use ", words, "."])
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: [&str; 5] =
        [paths::UPLOAD_VIDEO, paths::UPLOAD_STATUS, paths::UPLOADS, paths::CREATE_API_KEY, paths::EVENTS];

    #[test]
    fn an_address_that_is_one_slip_away_is_suggested() {
        for (path, meant) in [
            ("/api/php/developer/upload_video/", Some(paths::UPLOAD_VIDEO)),
            ("/v1/api/php/developer/upload_video", Some(paths::UPLOAD_VIDEO)),
            ("/api/v1/upload_video", Some(paths::UPLOAD_VIDEO)),
            ("/api/php/developer//upload-video", Some(paths::UPLOAD_VIDEO)),
            ("/api/php/developer/upload_vdeo", Some(paths::UPLOAD_VIDEO)),
            ("/v1/videos", Some(paths::UPLOAD_VIDEO)),
            ("/api/php/developer/Upload_Status", Some(paths::UPLOAD_STATUS)),
            ("/api/php/developer/create_api_key", Some(paths::CREATE_API_KEY)),
            ("/documentation", Some(paths::DOCS)),
            ("/api/php/developer/evnts", Some(paths::EVENTS)),
            ("/api/php/developer/event", Some(paths::EVENTS)),
            ("/wp-login.php", None),
            ("/", None),
        ] {
            assert_eq!(nearest_address(path, &KNOWN), meant.map(AddressHint::Path), "{path}");
        }
        let of_video = nearest_address("/v1/videos/0190f0a8-7c3b-7d1e-8a11-1b2c3d4e5f60", &KNOWN);
        assert_eq!(of_video, Some(AddressHint::StatusOfVideo));
    }

    #[test]
    fn an_address_and_a_method_are_explained() {
        let told = wrong_address(Some(AddressHint::Path(paths::UPLOAD_VIDEO)), "https://u.example/", "");
        assert_eq!(
            told,
            "Nothing exists at this address. Did you mean `https://u.example/api/php/developer/upload_video`?"
        );
        assert!(wrong_address(None, "", "https://s.example").contains("see https://s.example/docs for all"));
        assert_eq!(
            unsupported_method("PUT", "GET,HEAD,POST"),
            "This address does not support `PUT`. Use `GET` or `POST`."
        );
    }
}
