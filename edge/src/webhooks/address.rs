//! Checks the addresses of webhooks: HTTPS and a public domain name, never a private network.
//!
//! The grammar is stricter than for URLs, so that every parser of an accepted address sees the same host. Cloudflare's
//! network resolves the name at each request (SECURITY.md).

use contract::limits::MAX_WEBHOOK_URL_CHARACTERS;

/// Names that are never public: RFC 6761 and 6762, RFC 8375, RFC 9476, and what clouds and home networks use.
const PRIVATE_SUFFIXES: [&str; 13] = [
    "localhost",
    "local",
    "internal",
    "intranet",
    "private",
    "corp",
    "home",
    "lan",
    "arpa",
    "test",
    "invalid",
    "onion",
    "alt",
];

/// The rules that depend on where the service runs.
#[derive(Clone, Debug, Default)]
pub(crate) struct AddressRules {
    /// Whether `http://` and this machine are allowed, which only development needs.
    pub allows_loopback: bool,
    /// The `host[:port]` of the service's own addresses. A webhook to one of them would be a loop.
    pub own_hosts: Vec<String>,
}

impl AddressRules {
    /// Whether events may be sent to this address.
    pub(crate) fn allow(&self, url: &str) -> bool {
        if url.len() > MAX_WEBHOOK_URL_CHARACTERS {
            return false;
        }
        let is_own = |host: &str| self.own_hosts.iter().any(|own| own.eq_ignore_ascii_case(host));
        match url.split_once("://").map(|(scheme, rest)| (scheme, split_host(rest))) {
            Some(("https", (host, rest))) => is_public_name(host) && is_plain(rest) && !is_own(host),
            Some(("http", (host, rest))) => {
                self.allows_loopback && is_loopback(host) && is_plain(rest) && !is_own(host)
            }
            _ => false,
        }
    }
}

/// Returns an address without its path, which may be a secret.
pub(crate) fn without_path(url: &str) -> &str {
    let host_start = url.find("://").map_or(0, |at| at + 3);
    let host_length = url.get(host_start..).and_then(|rest| rest.find(['/', '?'])).unwrap_or(url.len());
    url.get(..host_start + host_length).unwrap_or(url)
}

/// Divides the text after `://` into the host and the rest, which begins with `/` or `?` or is empty.
fn split_host(rest: &str) -> (&str, &str) {
    rest.find(['/', '?']).and_then(|at| rest.split_at_checked(at)).unwrap_or((rest, ""))
}

/// Whether this is a domain name of at least two labels whose last one is a public top-level domain. A name that ends
/// with letters is never parsed as an IP address in any notation.
fn is_public_name(host: &str) -> bool {
    let labels: Vec<&str> = host.split('.').collect();
    let last = labels.last().copied().unwrap_or_default();
    let is_top_level = last.len() >= 2
        && (last.bytes().all(|byte| byte.is_ascii_alphabetic()) || last.to_ascii_lowercase().starts_with("xn--"));
    let is_private = PRIVATE_SUFFIXES.iter().any(|suffix| suffix.eq_ignore_ascii_case(last));
    host.len() <= 253 && labels.len() >= 2 && labels.iter().all(|label| is_label(label)) && is_top_level && !is_private
}

fn is_label(label: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    (1..=63).contains(&label.len()) && label.bytes().all(is_part) && !label.starts_with('-') && !label.ends_with('-')
}

/// Whether this is the local machine, with a port if there is one.
fn is_loopback(host: &str) -> bool {
    let (name, port) = host.rsplit_once(':').unwrap_or((host, "80"));
    matches!(name, "localhost" | "127.0.0.1") && port.parse::<u16>().is_ok()
}

/// Whether a path and query consist of visible ASCII characters that no URL parser changes or interprets.
fn is_plain(rest: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_graphic() && !b"#\\\"<>^`{|}".contains(&byte);
    rest.bytes().all(is_allowed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn is_allowed(url: &str) -> bool {
        AddressRules { own_hosts: vec!["www.clipgate.net".to_owned()], ..AddressRules::default() }.allow(url)
    }

    #[test]
    fn a_public_domain_name_with_https_is_allowed() {
        for url in [
            "https://hooks.shop.com/clipgate",
            "https://Hooks.Shop.COM",
            "https://shop.com?key=a%20b&c=[1]",
            "https://a_b.xn--bcher-kva.xn--p1ai/",
            "https://shop.com/a@b:c/..//;x",
        ] {
            assert!(is_allowed(url), "{url}");
        }
    }

    #[test]
    fn nothing_that_may_be_private_is_allowed() {
        for url in [
            "http://hooks.shop.com/",
            "HTTPS://hooks.shop.com/",
            "ftp://hooks.shop.com/",
            "https://localhost/",
            "https://api.localhost/",
            "https://printer.local/",
            "https://metadata.google.internal/",
            "https://router.home.arpa/",
            "https://router.LAN/",
            "https://intranet/",
            "https://shop.com./",
            "https://shop..com/",
            "https://-shop.com/",
            "https://127.0.0.1/",
            "https://127.1/",
            "https://2130706433/",
            "https://0x7f.1/",
            "https://0177.0.0.1/",
            "https://169.254.169.254/latest/meta-data",
            "https://10.0.0.0x1/",
            "https://[::1]/",
            "https://[::ffff:127.0.0.1]/",
            "https://shop.com:8443/",
            "https://shop.com:443/",
            "https://user@shop.com/",
            "https://user:pass@shop.com/",
            "https://shop.com@127.0.0.1/",
            "https://shop.com\\@127.0.0.1/",
            "https://127.0.0.1#.shop.com/",
            "https://127.0.0.1%23.shop.com/",
            "https://shop.com/#part",
            "https://shop.com/ a",
            "https://shop.com/\r\nHost: x",
            "https://sh\u{00f6}p.com/",
            "https://shop\u{3002}com/",
            "https://\u{2460}27.0.0.1/",
            "https:///shop.com/",
            "https:shop.com/",
            "//shop.com/",
            "https://www.clipgate.net/internal/sweep",
            "https://WWW.clipgate.net",
            "",
        ] {
            assert!(!is_allowed(url), "{url}");
        }
        for (length, expected) in [(2_048, true), (2_049, false)] {
            assert_eq!(is_allowed(&format!("{:a<length$}", "https://shop.com/")), expected, "{length}");
        }
    }

    #[test]
    fn this_machine_is_allowed_in_development_only() {
        let rules = AddressRules { allows_loopback: true, own_hosts: vec!["127.0.0.1:8787".to_owned()] };
        for (url, expected) in [
            ("http://127.0.0.1:4000/hook", true),
            ("http://localhost:4000", true),
            ("http://127.0.0.1:8787/internal/sweep", false),
            ("http://10.0.0.1:4000/hook", false),
            ("http://127.0.0.1:4000@10.0.0.1/", false),
            ("http://127.0.0.1:99999/", false),
            ("https://shop.com/", true),
        ] {
            assert_eq!(rules.allow(url), expected, "{url}");
            assert!(!url.starts_with("http:") || !is_allowed(url), "{url}");
        }
    }

    #[test]
    fn an_address_without_its_path_has_no_secret() {
        for url in
            ["https://shop.com/secret", "https://shop.com?secret", "https://shop.com/a?b://secret", "https://shop.com"]
        {
            assert_eq!(without_path(url), "https://shop.com");
        }
        assert_eq!(without_path("https://a.co/secret/more"), "https://a.co");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(fixtures::cases(2_000, 200_000)))]

        /// Compares with an independent parser of WHATWG URLs, which the platform's `fetch` uses too.
        #[test]
        fn every_reader_sees_the_same_public_host(
            url in "(https|http|HTTPS)://?[a-z0-9.:@\\[\\]%_-]{1,12}(\\.[a-z0-9-]{1,4}){0,2}[/?#:@\\\\]?[!-~]{0,12}"
        ) {
            if is_allowed(&url) {
                let parsed = url::Url::parse(&url).unwrap();
                let written = split_host(url.strip_prefix("https://").unwrap()).0;
                let written = written.to_ascii_lowercase();
                prop_assert_eq!(parsed.host_str(), Some(written.as_str()));
                prop_assert!(matches!(parsed.host(), Some(url::Host::Domain(_))));
                prop_assert_eq!((parsed.scheme(), parsed.port(), parsed.username()), ("https", None, ""));
                prop_assert!(parsed.password().is_none() && parsed.fragment().is_none());
            }
        }
    }
}
