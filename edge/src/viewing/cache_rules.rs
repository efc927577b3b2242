//! The rules for who may cache a response and for how long, for every response of the Worker.
//!
//! Unless a header forbids it, the cache in front of the Worker stores every response, even a 404, under a key without
//! the host and the caller. So every response says who may cache it, and no other code writes these headers.

use super::access::Access;
use crate::base::ids::{ChannelId, ContentUuid};
use crate::journal::cache_tags::{tag_of_channel, tag_of_channel_files, tag_of_content, tag_of_generation};
use axum::http::header::{CACHE_CONTROL, HeaderName};
use axum::http::{HeaderValue, Method, Response, StatusCode};
use contract::paths;

const CACHE_TAG: HeaderName = HeaderName::from_static("cache-tag");

/// The only paths with responses that are the same for everyone: pages and files of contents, and files of the site.
/// Responses at other paths are never cached. The front page is not included: it depends on the `Accept` header, which
/// is not in the cache's key.
const PREFIXES: [&str; 8] = [
    paths::MEDIA,
    paths::PAGE,
    paths::EMBED,
    paths::SITEMAP_PARTS,
    paths::SCRIPTS,
    paths::DOCS_FILES,
    paths::CONSOLE_FILES,
    paths::DESK_FILES,
];
const PATHS: [&str; 8] = [
    paths::OEMBED,
    paths::SITEMAP,
    paths::ROBOTS,
    paths::ICON,
    paths::OLD_ICON,
    paths::DOCS,
    paths::CONSOLE,
    paths::DESK,
];

/// The caches that may store a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CacheRule {
    /// Everyone gets the same response, so every cache may store it.
    Everybody,
    /// Every cache may store the response forever, because its address contains its version.
    Forever,
    /// The response depends on the caller.
    Asker,
    Nobody,
}

/// The content that a successful response shows. A file of the site is public and has no tags.
///
/// It travels in the extensions of the response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ShownContent {
    pub access: Access,
    /// The tags for purging the response, if there is a cache in front of the Worker.
    pub tags: Option<CacheTags>,
}

/// A content's cache tags: one for every response that shows it, one for its current media files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CacheTags(String);

impl CacheTags {
    pub(crate) fn of(content: &ContentUuid, generation: u64) -> Self {
        Self(format!("{},{}", tag_of_content(content), tag_of_generation(content, generation)))
    }

    /// Adds the tag of the pages that show the name of the channel.
    pub(crate) fn and_channel(self, channel: ChannelId) -> Self {
        Self(format!("{},{}", self.0, tag_of_channel(channel)))
    }

    /// Adds the tag of all files of the channel, which are purged when it is suspended.
    pub(crate) fn and_files_of(self, channel: ChannelId) -> Self {
        Self(format!("{},{}", self.0, tag_of_channel_files(channel)))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl CacheRule {
    /// Returns the rule for a response. Only a successful read of something public may be cached by everyone.
    pub(crate) fn of(method: &Method, path: &str, status: StatusCode, access: Option<Access>) -> Self {
        let is_read = *method == Method::GET || *method == Method::HEAD;
        let may_be_public = PREFIXES.iter().any(|prefix| path.starts_with(prefix)) || PATHS.contains(&path);
        let is_success = matches!(status.as_u16(), 200 | 206 | 304);
        match access {
            Some(Access::Public) if is_read && is_success && path.starts_with(paths::SCRIPTS) => Self::Forever,
            Some(Access::Public) if is_read && may_be_public && is_success => Self::Everybody,
            Some(Access::Private) => Self::Asker,
            _ => Self::Nobody,
        }
    }

    /// Returns the value of `Cache-Control`.
    ///
    /// If the purge fails, a removed video stays visible for at most a minute. `must-revalidate` forbids Cloudflare to
    /// serve stale responses, which it otherwise does while the Worker fails.
    pub(crate) const fn cache_control(self) -> HeaderValue {
        HeaderValue::from_static(match self {
            Self::Everybody => "public, max-age=60, must-revalidate",
            Self::Forever => "public, max-age=31536000, immutable",
            Self::Asker => "private, no-store",
            Self::Nobody => "no-store",
        })
    }
}

/// Writes into a response's headers who may cache it.
pub(crate) fn apply<B>(response: &mut Response<B>, method: &Method, path: &str) {
    let shown = response.extensions_mut().remove::<ShownContent>();
    let rule = CacheRule::of(method, path, response.status(), shown.as_ref().map(|shown| shown.access));
    let headers = response.headers_mut();
    headers.insert(CACHE_CONTROL, rule.cache_control());
    headers.remove(CACHE_TAG);
    let tags = shown.and_then(|shown| shown.tags).filter(|_| rule == CacheRule::Everybody);
    // A UUID and a number are always a valid header value.
    if let Some(Ok(tags)) = tags.map(|tags| HeaderValue::from_str(tags.as_str())) {
        headers.insert(CACHE_TAG, tags);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PUBLIC: [&str; 10] = [
        "/media/m.mp4",
        "/meme/s",
        "/embed/s",
        "/oembed",
        "/sitemap.xml",
        "/sitemaps/1.xml",
        "/robots.txt",
        "/favicon.svg",
        "/favicon.ico",
        "/scripts/0a.js",
    ];
    const ACCESS: [Option<Access>; 4] = [None, Some(Access::Denied), Some(Access::Private), Some(Access::Public)];

    fn answer(status: u16, access: Option<Access>) -> Response<()> {
        let tags = Some(CacheTags::of(&ContentUuid::new("c"), 2));
        let shown = access.map(|access| ShownContent { access, tags });
        // A header that another part of the Worker has set must not survive.
        let response = Response::builder().status(status).header(CACHE_CONTROL, "public").header(CACHE_TAG, "x");
        let mut response = response.body(()).unwrap();
        if let Some(shown) = shown {
            response.extensions_mut().insert(shown);
        }
        response
    }

    fn applied(method: &Method, path: &str, status: u16, access: Option<Access>) -> (String, Option<String>) {
        let mut response = answer(status, access);
        apply(&mut response, method, path);
        let text = |name| response.headers().get(name).map(|value| value.to_str().unwrap().to_owned());
        (text(CACHE_CONTROL).unwrap(), text(CACHE_TAG))
    }

    #[test]
    fn an_answer_is_found_by_its_content_its_generation_and_its_channel() {
        let tags = CacheTags::of(&ContentUuid::new("u"), 3).and_channel(ChannelId(7));
        assert_eq!(tags.as_str().split(',').next_back(), Some("channel-7"));
        assert!(tags.as_str().starts_with(CacheTags::of(&ContentUuid::new("u"), 3).as_str()));
    }

    #[test]
    fn a_published_file_is_for_everybody_and_for_a_minute() {
        for (path, status) in [("/media/m.mp4", 200), ("/media/m/poster.jpg", 206), ("/meme/s", 304)] {
            for method in [Method::GET, Method::HEAD] {
                let (control, tags) = applied(&method, path, status, Some(Access::Public));
                assert_eq!(control, "public, max-age=60, must-revalidate", "{path}");
                assert_eq!(tags.as_deref(), Some("content-c,content-c-2"), "{path}");
            }
        }
    }

    #[test]
    fn everything_else_is_kept_by_nobody() {
        let methods = ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"];
        let cases = methods.into_iter().flat_map(|method| ACCESS.map(|access| (method, access)));
        for (method, access) in cases {
            let method = Method::from_bytes(method.as_bytes()).unwrap();
            for path in
                PUBLIC.into_iter().chain(["/healthz", "/internal/sweep", "/mediam.mp4", "/", "", "/robots.txt/"])
            {
                for status in [200, 204, 206, 301, 304, 400, 401, 404, 405, 416, 429, 500, 503] {
                    let is_content = PUBLIC.contains(&path);
                    let is_read = method == Method::GET || method == Method::HEAD;
                    let is_success = [200, 206, 304].contains(&status);
                    let is_public = access == Some(Access::Public) && is_content && is_read && is_success;
                    let (control, tags) = applied(&method, path, status, access);
                    assert_eq!(control.contains("public"), is_public, "{method} {path} {status} {access:?}");
                    assert_eq!(control.contains("no-store"), !is_public, "{method} {path} {status} {access:?}");
                    let shows_content = is_public && !path.starts_with("/scripts/");
                    assert_eq!(tags.is_some(), shows_content, "{method} {path} {status} {access:?}");
                }
            }
        }
    }

    #[test]
    fn only_the_script_whose_address_has_its_version_is_kept_for_longer_than_a_minute() {
        for path in PUBLIC {
            let (control, _) = applied(&Method::GET, path, 200, Some(Access::Public));
            let is_forever = control == "public, max-age=31536000, immutable";
            assert_eq!(is_forever, path == "/scripts/0a.js", "{path}: {control}");
            assert_eq!(!is_forever, control == "public, max-age=60, must-revalidate", "{path}: {control}");
        }
    }

    #[test]
    fn answers_that_depend_on_the_asker_say_so() {
        let (control, tags) = applied(&Method::GET, "/media/m/poster.jpg", 200, Some(Access::Private));
        assert_eq!((control.as_str(), tags), ("private, no-store", None));
    }
}
