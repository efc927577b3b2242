//! The network of a client: the key for rate-limiting requests without a known credential, and shown in the trail.

use super::header::single;
use axum::http::{HeaderMap, HeaderName};
use std::net::IpAddr;

/// Cloudflare sets this header on every request and overwrites what the client sent.
const CF_CONNECTING_IP: HeaderName = HeaderName::from_static("cf-connecting-ip");

/// The subject of all requests without a readable address. They share one counter, so that none is exempt.
const UNKNOWN: &str = "unknown";

/// Returns the client's IPv4 address, or the first 64 bits of its IPv6 address: a client can use every address of its
/// /64. The address is written in hexadecimal, because the standard library's code for addresses would make the Worker
/// larger.
pub(crate) fn client_network(headers: &HeaderMap) -> String {
    let address = single(headers, CF_CONNECTING_IP).and_then(|text| text.parse().ok());
    match address.map(|address: IpAddr| address.to_canonical()) {
        Some(IpAddr::V4(address)) => format!("{:08x}", address.to_bits()),
        Some(IpAddr::V6(address)) => format!("{:016x}", address.to_bits() >> 64),
        None => UNKNOWN.to_owned(),
    }
}

/// Returns the part of the client's address that the trail keeps: the first 24 bits of an IPv4 address, or the first 48
/// of an IPv6 address. That distinguishes offices and providers but not people, because the trail is kept forever.
pub(crate) fn shortened_network(headers: &HeaderMap) -> Option<String> {
    let address: IpAddr = single(headers, CF_CONNECTING_IP)?.parse().ok()?;
    Some(match address.to_canonical() {
        IpAddr::V4(address) => {
            let [a, b, c, _] = address.octets();
            format!("{a}.{b}.{c}.0/24")
        }
        IpAddr::V6(address) => {
            let [a, b, c, ..] = address.segments();
            format!("{a:x}:{b:x}:{c:x}::/48")
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;
    use proptest::prelude::*;
    use std::net::Ipv6Addr;

    fn network(address: &str) -> String {
        let mut headers = HeaderMap::new();
        headers.insert(CF_CONNECTING_IP, HeaderValue::from_str(address).unwrap());
        client_network(&headers)
    }

    #[test]
    fn an_ipv4_address_is_counted_by_itself_in_either_notation() {
        assert_eq!(network("203.0.113.7"), "cb007107");
        assert_eq!(network("::ffff:203.0.113.7"), "cb007107");
    }

    #[test]
    fn an_ipv6_address_is_counted_by_its_first_64_bits() {
        assert_eq!(network("2001:db8:1:2:3:4:5:6"), "20010db800010002");
        assert_ne!(network("2001:db8:1:2::1"), network("2001:db8:1:3::1"));
    }

    #[test]
    fn the_trail_gets_the_provider_and_not_the_person() {
        let shortened = |address: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(CF_CONNECTING_IP, HeaderValue::from_str(address).unwrap());
            shortened_network(&headers)
        };
        assert_eq!(shortened("203.0.113.7").as_deref(), Some("203.0.113.0/24"));
        assert_eq!(shortened("::ffff:203.0.113.7").as_deref(), Some("203.0.113.0/24"));
        assert_eq!(shortened("2001:db8:1:2:3:4:5:6").as_deref(), Some("2001:db8:1::/48"));
        assert_eq!(shortened("not an address"), None);
    }

    #[test]
    fn requests_without_a_readable_address_are_counted_together() {
        assert_eq!(client_network(&HeaderMap::new()), UNKNOWN);
        assert_eq!(network("not an address"), UNKNOWN);
    }

    proptest! {
        #[test]
        fn no_choice_of_the_last_64_bits_changes_the_network(prefix in 1_u64 << 48.., one: u64, other: u64) {
            let address = |suffix: u64| Ipv6Addr::from_bits(u128::from(prefix) << 64 | u128::from(suffix)).to_string();
            prop_assert_eq!(network(&address(one)), network(&address(other)));
        }
    }
}
