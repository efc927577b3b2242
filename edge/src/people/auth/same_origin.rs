//! Same-origin check: only the site's own pages may use key management with a user's session.
//!
//! A browser states the source of a request in Fetch Metadata, in the `Origin` header, or in both. Each header that is
//! present must name the site itself. A client that sends neither is not a browser, so no foreign page can have made it
//! send the cookie.

/// The headers on which the check depends, as they were sent.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RequestHeaders<'a> {
    pub sec_fetch_site: Option<&'a str>,
    pub origin: Option<&'a str>,
}

impl RequestHeaders<'_> {
    /// Whether a browser states which page sent the request.
    pub(crate) fn name_a_page(self) -> bool {
        self.sec_fetch_site.is_some() || self.origin.is_some()
    }
}

/// Whether a request comes from the site's own pages, as far as its headers tell.
pub(crate) fn allows(headers: RequestHeaders<'_>, own_origin: &str) -> bool {
    let site = headers.sec_fetch_site.is_none_or(|site| site == "same-origin");
    let origin = headers.origin.is_none_or(|origin| origin.eq_ignore_ascii_case(own_origin));
    site && origin
}

/// Whether the type is `application/json`. Requests that change something must have it: an HTML form cannot send it to
/// another origin, even in a browser that sends neither of the headers above.
pub(crate) fn is_json(content_type: &str) -> bool {
    let essence = content_type.split(';').next().unwrap_or_default();
    essence.trim().eq_ignore_ascii_case("application/json")
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWN: &str = "https://api.example";

    #[test]
    fn only_requests_of_the_own_origin_pass() {
        let sites = [None, Some("same-origin"), Some("same-site"), Some("cross-site"), Some("none")];
        let origins = [None, Some(OWN), Some("https://evil.example"), Some("null")];
        let mut passed = Vec::new();
        for sec_fetch_site in sites {
            for origin in origins {
                if allows(RequestHeaders { sec_fetch_site, origin }, OWN) {
                    passed.push((sec_fetch_site, origin));
                }
            }
        }
        let expected = [(None, None), (None, Some(OWN)), (Some("same-origin"), None), (Some("same-origin"), Some(OWN))];
        assert_eq!(passed, expected);
    }

    #[test]
    fn the_json_type_may_have_parameters_and_any_case() {
        assert!(is_json("Application/JSON; charset=utf-8"));
        assert!(!is_json("application/jsonp"));
        assert!(!is_json("text/plain; application/json"));
    }

    #[test]
    fn an_origin_with_another_port_or_scheme_is_foreign() {
        for origin in ["http://api.example", "https://api.example:8443", "https://api.example.evil"] {
            let headers = RequestHeaders { origin: Some(origin), ..RequestHeaders::default() };
            assert!(!allows(headers, OWN), "{origin}");
        }
    }
}
