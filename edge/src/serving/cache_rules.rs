//! Who may keep an answer, and for how long: the whole rule, for every answer of the Worker.
//!
//! The cache in front of the Worker stores whatever no header forbids, even a 404, and its key contains neither the
//! host nor the caller. So every answer says who may keep it, and no other code writes these headers.

use super::access::Access;
use crate::ids::ContentUuid;
use axum::http::header::{CACHE_CONTROL, HeaderName};
use axum::http::{HeaderValue, Method, Response, StatusCode};
use contract::paths;

const CACHE_TAG: HeaderName = HeaderName::from_static("cache-tag");

/// The only paths that show contents to everybody. The answers below any other path are never kept.
const PATHS_OF_CONTENTS: [&str; 2] = [paths::MEDIA, paths::PAGE];

/// Who may keep an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CacheRule {
    /// Everybody gets the same answer, so every cache may keep it.
    Everybody,
    /// The answer depends on who asks.
    Asker,
    Nobody,
}

/// What a successful answer shows. It travels in the extensions of the response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ShownContent {
    pub access: Access,
    /// The tags by which a cache in front of the Worker can remove the answer, if there is such a cache.
    pub tags: Option<CacheTags>,
}

/// The names by which the answers that show a content are removed from the cache: one for all of them, and one for
/// those of its current media. `edge/migrations/0006_cache_purges.sql` builds the same names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CacheTags(String);

impl CacheTags {
    pub(crate) fn of(content: &ContentUuid, generation: u64) -> Self {
        Self(format!("content-{content},content-{content}-{generation}"))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl CacheRule {
    /// The rule. Only a success of a request that reads a published content is for everybody.
    pub(crate) fn of(method: &Method, path: &str, status: StatusCode, access: Option<Access>) -> Self {
        let is_read = *method == Method::GET || *method == Method::HEAD;
        let is_content = PATHS_OF_CONTENTS.iter().any(|prefix| path.starts_with(prefix));
        let is_success = matches!(status.as_u16(), 200 | 206 | 304);
        match access {
            Some(Access::Public) if is_read && is_content && is_success => Self::Everybody,
            Some(Access::Private) => Self::Asker,
            _ => Self::Nobody,
        }
    }

    /// The value of `Cache-Control`.
    ///
    /// A minute is what a removed video may still be seen for if it could not be removed from the cache.
    /// `must-revalidate` forbids Cloudflare to serve an older answer, which it otherwise does while the Worker fails.
    pub(crate) const fn cache_control(self) -> HeaderValue {
        HeaderValue::from_static(match self {
            Self::Everybody => "public, max-age=60, must-revalidate",
            Self::Asker => "private, no-store",
            Self::Nobody => "no-store",
        })
    }
}

/// Writes into an answer's headers who may keep it.
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
            for path in ["/media/m.mp4", "/meme/s", "/healthz", "/internal/sweep", "/mediam.mp4", "/", ""] {
                for status in [200, 204, 206, 301, 304, 400, 401, 404, 405, 416, 429, 500, 503] {
                    let is_content = path.starts_with("/media/") || path.starts_with("/meme/");
                    let is_read = method == Method::GET || method == Method::HEAD;
                    let is_success = [200, 206, 304].contains(&status);
                    let is_public = access == Some(Access::Public) && is_content && is_read && is_success;
                    let (control, tags) = applied(&method, path, status, access);
                    assert_eq!(control.contains("public"), is_public, "{method} {path} {status} {access:?}");
                    assert_eq!(control.contains("no-store"), !is_public, "{method} {path} {status} {access:?}");
                    assert_eq!(tags.is_some(), is_public, "{method} {path} {status} {access:?}");
                }
            }
        }
    }

    #[test]
    fn what_depends_on_the_asker_says_so() {
        let (control, tags) = applied(&Method::GET, "/media/m/poster.jpg", 200, Some(Access::Private));
        assert_eq!((control.as_str(), tags), ("private, no-store", None));
    }
}
