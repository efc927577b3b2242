//! Who may ask for key management in the name of a signed-in browser: the site's own pages alone.
//!
//! Fetch Metadata decides where the browser sends it, the Origin header where it does not. A program that
//! sends neither is no browser: nobody can have tricked it into carrying a cookie along.

/// The headers that decide, as they came.
#[derive(Clone, Copy, Debug, Default)]
pub struct RequestHeaders<'a> {
    pub sec_fetch_site: Option<&'a str>,
    pub origin: Option<&'a str>,
    pub content_type: Option<&'a str>,
}

/// Whether a request that changes something comes from the site itself.
pub fn allows_change(headers: RequestHeaders<'_>, own_origin: &str) -> bool {
    allows_read(headers, own_origin) && headers.content_type.is_some_and(is_json)
}

/// Whether a request that only reads comes from the site itself.
pub fn allows_read(headers: RequestHeaders<'_>, own_origin: &str) -> bool {
    let site = headers
        .sec_fetch_site
        .is_none_or(|site| site == "same-origin");
    let origin = headers
        .origin
        .is_none_or(|origin| origin.eq_ignore_ascii_case(own_origin));
    site && origin
}

/// `application/json`, with or without parameters: a form cannot send it across origins.
fn is_json(content_type: &str) -> bool {
    let essence = content_type.split(';').next().unwrap_or_default();
    essence.trim().eq_ignore_ascii_case("application/json")
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWN: &str = "https://api.example";

    #[test]
    fn only_same_origin_json_passes_in_the_whole_matrix() {
        let sites = [
            None,
            Some("same-origin"),
            Some("same-site"),
            Some("cross-site"),
            Some("none"),
        ];
        let origins = [None, Some(OWN), Some("https://evil.example"), Some("null")];
        let types = [
            None,
            Some("application/json"),
            Some("text/plain"),
            Some("multipart/form-data"),
        ];
        let mut passed = Vec::new();
        for sec_fetch_site in sites {
            for origin in origins {
                for content_type in types {
                    let headers = RequestHeaders {
                        sec_fetch_site,
                        origin,
                        content_type,
                    };
                    if allows_change(headers, OWN) {
                        passed.push((sec_fetch_site, origin));
                    }
                }
            }
        }
        let expected = [
            (None, None),
            (None, Some(OWN)),
            (Some("same-origin"), None),
            (Some("same-origin"), Some(OWN)),
        ];
        assert_eq!(passed, expected);
    }

    #[test]
    fn json_may_have_parameters_and_any_case_but_no_other_name() {
        assert!(is_json("Application/JSON; charset=utf-8"));
        assert!(!is_json("application/jsonp"));
        assert!(!is_json("text/plain; application/json"));
    }

    #[test]
    fn an_origin_of_another_port_or_scheme_is_foreign() {
        for origin in [
            "http://api.example",
            "https://api.example:8443",
            "https://api.example.evil",
        ] {
            let headers = RequestHeaders {
                origin: Some(origin),
                ..RequestHeaders::default()
            };
            assert!(!allows_read(headers, OWN), "{origin}");
        }
    }
}
