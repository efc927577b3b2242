//! Counts a request with a well-formed key against the rates of its address and its key, before the first query.
//!
//! A key that does not exist costs a query, and anyone can make up any number of them. So a key that is not known to be
//! valid counts against its client's address first. A known key does not, so that a program which shares an address
//! with an attacker keeps working.

use std::future::Future;

/// Whether a request may continue, or which of the two rates it exceeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RequestRate {
    Within,
    AddressExceeded,
    KeyExceeded,
}

/// Counts a request. Each counter returns whether the request is within its rate, and counts only if it is polled.
pub(crate) async fn count_request(
    is_recently_valid: bool,
    count_for_address: impl Future<Output = bool>,
    count_for_key: impl Future<Output = bool>,
) -> RequestRate {
    if !is_recently_valid && !count_for_address.await {
        return RequestRate::AddressExceeded;
    }
    if !count_for_key.await {
        return RequestRate::KeyExceeded;
    }
    RequestRate::Within
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_executor::block_on;
    use std::cell::Cell;

    /// Returns the rate, and how often the request was counted for its address and for its key.
    fn count(is_recently_valid: bool, address_is_within: bool, key_is_within: bool) -> (RequestRate, u32, u32) {
        let (address, key) = (Cell::new(0), Cell::new(0));
        let counter = async |counts: &Cell<u32>, is_within| {
            counts.set(counts.get() + 1);
            is_within
        };
        let rate = count_request(is_recently_valid, counter(&address, address_is_within), counter(&key, key_is_within));
        let rate = block_on(rate);
        (rate, address.get(), key.get())
    }

    #[test]
    fn an_unknown_key_counts_against_its_address_and_then_by_itself() {
        assert_eq!(count(false, true, true), (RequestRate::Within, 1, 1));
        assert_eq!(count(false, true, false), (RequestRate::KeyExceeded, 1, 1));
    }

    #[test]
    fn over_the_rate_of_the_address_an_unknown_key_is_not_looked_at() {
        for key_is_within in [true, false] {
            assert_eq!(count(false, false, key_is_within), (RequestRate::AddressExceeded, 1, 0));
        }
    }

    #[test]
    fn a_known_key_never_counts_against_its_address() {
        for address_is_within in [true, false] {
            assert_eq!(count(true, address_is_within, true), (RequestRate::Within, 0, 1));
            assert_eq!(count(true, address_is_within, false), (RequestRate::KeyExceeded, 0, 1));
        }
    }
}
