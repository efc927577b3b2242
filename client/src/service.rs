//! The service that a client calls, and the API key.

use crate::text_hash::hexadecimal_sha256;
use reqwest::Url;
use secrecy::{ExposeSecret, SecretString};
use std::fmt;
use std::str::FromStr;

/// The prefix of every key. A password or another service's token that was pasted by mistake is never sent.
const KEY_PREFIX: &str = "cgk_";

/// The address of the upload host: scheme, host and port.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ServiceUrl(Url);

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidUrl {
    #[error("{0:?} is not the URL of a service. Use the URL of its upload host, such as https://upload.example.com")]
    NotAnAddress(String),
    #[error("{0} would send the API key unencrypted. Use https; http is allowed only for this machine")]
    Unencrypted(String),
}

impl FromStr for ServiceUrl {
    type Err = InvalidUrl;

    fn from_str(text: &str) -> Result<Self, InvalidUrl> {
        let malformed = || InvalidUrl::NotAnAddress(text.to_owned());
        let url = Url::parse(text.trim()).map_err(|_| malformed())?;
        let has_more = url.path() != "/" || url.query().is_some() || url.fragment().is_some();
        let has_credentials = !url.username().is_empty() || url.password().is_some();
        match url.scheme() {
            _ if has_more || has_credentials || url.host().is_none() => Err(malformed()),
            "https" => Ok(Self(url)),
            "http" if is_this_machine(&url) => Ok(Self(url)),
            "http" => Err(InvalidUrl::Unencrypted(text.to_owned())),
            _ => Err(malformed()),
        }
    }
}

fn is_this_machine(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    let is_loopback = host.parse().is_ok_and(|address: std::net::IpAddr| address.is_loopback());
    is_loopback || host == "localhost"
}

impl ServiceUrl {
    /// Returns the address of a path of `contract::paths` with a query.
    pub(crate) fn join(&self, path: &str, query: &[(&str, &str)]) -> Url {
        let mut url = self.0.clone();
        url.set_path(path);
        if !query.is_empty() {
            url.query_pairs_mut().extend_pairs(query);
        }
        url
    }
}

impl fmt::Display for ServiceUrl {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.0.as_str().trim_end_matches('/'))
    }
}

/// An API key. It is never printed whole.
#[derive(Clone)]
pub struct ApiKey(SecretString);

/// The text is not repeated, because it may be another service's secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this is not an API key: a key begins with `cgk_` and has only letters and digits after it")]
pub struct InvalidKey;

impl FromStr for ApiKey {
    type Err = InvalidKey;

    fn from_str(text: &str) -> Result<Self, InvalidKey> {
        let text = text.trim();
        let rest = text.strip_prefix(KEY_PREFIX).ok_or(InvalidKey)?;
        let is_plain = rest.len() >= 8 && rest.bytes().all(|byte| byte.is_ascii_alphanumeric());
        if is_plain { Ok(Self(SecretString::from(text))) } else { Err(InvalidKey) }
    }
}

impl ApiKey {
    pub fn expose(&self) -> &str {
        self.0.expose_secret()
    }

    /// Returns the beginning and the end of the key, as the service shows it.
    pub fn hint(&self) -> String {
        let key = self.expose();
        let (begin, end) = (key.get(..8).unwrap_or_default(), key.get(key.len() - 4..).unwrap_or_default());
        format!("{begin}…{end}")
    }

    /// Returns a name for files that identifies the key without revealing it.
    pub(crate) fn fingerprint(&self) -> String {
        hexadecimal_sha256(&["clipgate key", self.expose()])
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("ApiKey(redacted)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_never_sent_unencrypted_to_another_machine() {
        for url in ["https://upload.example.com", "http://127.0.0.1:8787/", "http://localhost:1", "http://[::1]:8787"] {
            assert!(url.parse::<ServiceUrl>().is_ok(), "{url}");
        }
        for url in ["http://upload.example.com", "http://10.0.0.1", "http://localhost.example.com"] {
            assert!(matches!(url.parse::<ServiceUrl>(), Err(InvalidUrl::Unencrypted(_))), "{url}");
        }
    }

    #[test]
    fn an_address_is_a_host_and_nothing_more() {
        for url in ["", "upload.example.com", "ftp://a.b", "https://a.b/api", "https://a.b/?x", "https://u:p@a.b"] {
            assert!(matches!(url.parse::<ServiceUrl>(), Err(InvalidUrl::NotAnAddress(_))), "{url}");
        }
        let url: ServiceUrl = " https://Upload.Example.com:443/ ".parse().unwrap();
        assert_eq!(url.to_string(), "https://upload.example.com");
    }

    #[test]
    fn a_query_is_encoded() {
        let url: ServiceUrl = "https://a.b".parse().unwrap();
        assert_eq!(url.join("/x", &[]).as_str(), "https://a.b/x");
        assert_eq!(url.join("/x", &[("a", "1&b=2 é")]).as_str(), "https://a.b/x?a=1%26b%3D2+%C3%A9");
    }

    #[test]
    fn a_key_is_shown_by_its_ends_only_and_a_text_that_is_none_is_not_repeated() {
        let key: ApiKey = "  cgk_AbCd0123456789wXyZ\n".parse().unwrap();
        assert_eq!(key.hint(), "cgk_AbCd…wXyZ");
        assert_eq!(format!("{key:?}"), "ApiKey(redacted)");
        assert!(!key.fingerprint().contains("AbCd"));
        for text in ["", "hunter2", "cgk_", "cgk_abcdefg\nhijk", "sk_AbCd0123456789wXyZ"] {
            let refused = text.parse::<ApiKey>().unwrap_err();
            assert!(text.is_empty() || !refused.to_string().contains("hunter2"), "{text}");
        }
    }
}
