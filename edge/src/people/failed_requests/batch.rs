//! The failed requests of a channel that are stored together, and their form in R2.
//!
//! A batch counts every request, and has the last ones with all that is known. It always fits into the metadata of an
//! object, of which R2 allows 8,192 bytes: what does not fit is only counted.

use super::request::{FailedRequest, Kind};
use crate::base::unix_seconds::UnixSeconds;
use contract::ErrorCode;
use contract::limits::MAX_LISTED_FAILED_REQUESTS;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, VecDeque};
use std::fmt::Write;
use std::sync::Arc;

/// The most bytes of a stored batch. The rest of the metadata is its name.
pub(super) const MAX_BYTES: usize = 8_000;
/// The most pairs of hour and code that are counted. A batch usually has a few.
const MAX_PAIRS: usize = 100;

pub(super) const HOUR_SECONDS: u64 = 3_600;

/// The number of requests, by the start of their hour and by code.
pub(super) type Counts = BTreeMap<u64, BTreeMap<&'static str, (ErrorCode, u64)>>;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Batch {
    pub(super) counts: Counts,
    /// The last requests, the newest last.
    pub(super) requests: VecDeque<FailedRequest>,
    /// Whether there were more requests than could be counted.
    pub(super) is_cut: bool,
}

impl Batch {
    pub(super) fn is_empty(&self) -> bool {
        self.counts.is_empty() && !self.is_cut
    }

    pub(super) fn add(&mut self, mut request: FailedRequest) {
        let (hour, code) = (request.at.0 - request.at.0 % HOUR_SECONDS, request.kind.code);
        let pairs: usize = self.counts.values().map(BTreeMap::len).sum();
        let is_known = self.counts.get(&hour).is_some_and(|codes| codes.contains_key(code.as_str()));
        if !is_known && pairs >= MAX_PAIRS {
            self.is_cut = true;
            return;
        }
        let count = self.counts.entry(hour).or_default().entry(code.as_str()).or_insert((code, 0));
        count.1 = count.1.saturating_add(1);
        if let Some(same) = self.requests.iter().find(|other| other.kind == request.kind) {
            request.kind = Arc::clone(&same.kind);
        }
        self.requests.push_back(request);
        while self.requests.len() > MAX_LISTED_FAILED_REQUESTS || self.to_json().len() > MAX_BYTES {
            if self.requests.pop_front().is_none() {
                return;
            }
        }
    }

    /// Returns the batch as JSON in ASCII, as it is stored.
    pub(super) fn to_json(&self) -> String {
        let mut kinds: Vec<&Kind> = Vec::new();
        let mut requests = Vec::new();
        for request in &self.requests {
            let kind = &*request.kind;
            let place = kinds.iter().position(|other| std::ptr::eq(*other, kind)).unwrap_or_else(|| {
                kinds.push(kind);
                kinds.len() - 1
            });
            requests.push((request.at, request.id.as_str(), place));
        }
        let counts = self.counts.iter().map(|(hour, codes)| {
            let codes = codes.iter().map(|(code, (_, count))| (*code, *count)).collect();
            (*hour, codes)
        });
        let written = WrittenBatch { counts: counts.collect(), kinds, requests, is_cut: self.is_cut };
        ascii(&serde_json::to_string(&written).unwrap_or_default())
    }

    /// Reads a stored batch. Returns `None` if another program or version has written it.
    pub(super) fn parse(json: &str) -> Option<Self> {
        let ReadBatch { counts, kinds, requests, is_cut } = serde_json::from_str(json).ok()?;
        let counts = counts.into_iter().map(|(hour, codes)| {
            let codes = codes.into_iter().map(|(code, count)| known(&code).map(|code| (code.as_str(), (code, count))));
            Some((hour, codes.collect::<Option<_>>()?))
        });
        let kinds: Vec<_> = kinds.into_iter().map(Arc::new).collect();
        let requests = requests.into_iter().map(|(at, id, place)| {
            let kind = Arc::clone(kinds.get(place)?);
            Some(FailedRequest { at, id, kind })
        });
        Some(Self { counts: counts.collect::<Option<_>>()?, requests: requests.collect::<Option<_>>()?, is_cut })
    }
}

fn known(code: &str) -> Option<ErrorCode> {
    ErrorCode::ALL.iter().copied().find(|known| known.as_str() == code)
}

#[derive(Serialize)]
struct WrittenBatch<'a> {
    counts: BTreeMap<u64, BTreeMap<&'a str, u64>>,
    kinds: Vec<&'a Kind>,
    requests: Vec<(UnixSeconds, &'a str, usize)>,
    is_cut: bool,
}

#[derive(Deserialize)]
struct ReadBatch {
    counts: BTreeMap<u64, BTreeMap<String, u64>>,
    kinds: Vec<Kind>,
    requests: Vec<(UnixSeconds, String, usize)>,
    is_cut: bool,
}

/// Returns JSON in which every character is ASCII. Others occur in strings only, where they can be escaped.
fn ascii(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for character in json.chars() {
        if matches!(character, ' '..='~') {
            text.push(character);
        } else {
            for unit in character.encode_utf16(&mut [0; 2]) {
                // Writing to a string never fails.
                let _ = write!(text, "\\u{unit:04x}");
            }
        }
    }
    text
}

#[cfg(test)]
pub(super) mod testing {
    use super::*;
    use crate::people::failed_requests::request::testing::{code, kind};
    use proptest::prelude::*;

    /// A request of the `seconds` from this time on. Many of them are of the same kind.
    pub(in super::super) fn request(from: u64, seconds: u64) -> impl Strategy<Value = FailedRequest> {
        let kind = prop_oneof![3 => code().prop_map(plain), 1 => kind()];
        (from..from + seconds, 0..100_000_u64, kind).prop_map(|(at, number, kind)| FailedRequest {
            at: UnixSeconds(at),
            id: format!("0199aaaa-bbbb-7ccc-8ddd-{number:012}"),
            kind: Arc::new(kind),
        })
    }

    fn plain(code: ErrorCode) -> Kind {
        let received = crate::people::failed_requests::ReceivedRequest {
            method: "POST",
            route: contract::paths::UPLOAD_VIDEO,
            user_agent: Some("curl/8.5.0"),
            credential: contract::api::PresentedCredential::ApiKey,
        };
        Kind::new(received, &crate::base::refusal::Refusal::new(code))
    }

    pub(in super::super) fn batch(requests: &[FailedRequest]) -> Batch {
        let mut batch = Batch::default();
        for request in requests {
            batch.add(request.clone());
        }
        batch
    }
}

#[cfg(test)]
mod tests {
    use super::testing::{batch, request};
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;

    /// Near the end of an hour and of a day.
    const START: u64 = 20_785 * 86_400 - 10;

    fn counted(batch: &Batch) -> u64 {
        batch.counts.values().flat_map(BTreeMap::values).map(|(_, count)| count).sum()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(fixtures::cases(60, 2_000)))]

        #[test]
        fn a_stored_batch_is_short_and_ascii_and_reads_the_same(requests in vec(request(START, 20), 0..120)) {
            let batch = batch(&requests);
            let json = batch.to_json();
            prop_assert!(json.len() <= MAX_BYTES && json.bytes().all(|byte| matches!(byte, b' '..=b'~')));
            prop_assert_eq!(Batch::parse(&json), Some(batch));
        }

        #[test]
        fn every_request_is_counted_and_the_last_ones_are_kept(requests in vec(request(START, 20), 0..80)) {
            let batch = batch(&requests);
            prop_assert!(batch.is_cut || counted(&batch) == requests.len() as u64);
            let kept: Vec<_> = batch.requests.iter().cloned().collect();
            prop_assert!(requests.ends_with(&kept));
            prop_assert!(requests.is_empty() || !kept.is_empty(), "even the longest request fits");
        }

        #[test]
        fn fifty_requests_of_a_few_kinds_fit(
            kinds in vec(request(START, 1), 1..6).prop_filter("short texts", |kinds| {
                kinds.iter().all(|request| ascii(&serde_json::to_string(&*request.kind).unwrap()).len() < 600)
            }),
            picks in vec(any::<prop::sample::Index>(), 60),
        ) {
            let requests: Vec<_> = picks.iter().map(|pick| pick.get(&kinds).clone()).collect();
            prop_assert_eq!(batch(&requests).requests.len(), MAX_LISTED_FAILED_REQUESTS);
        }
    }

    #[test]
    fn a_batch_of_very_many_kinds_says_that_it_is_cut() {
        let received = crate::people::failed_requests::ReceivedRequest {
            method: "GET",
            route: "/",
            user_agent: None,
            credential: contract::api::PresentedCredential::ApiKey,
        };
        let mut batch = Batch::default();
        for hour in 0..3 {
            for code in ErrorCode::ALL {
                let kind = Arc::new(Kind::new(received, &crate::base::refusal::Refusal::new(*code)));
                batch.add(FailedRequest { at: UnixSeconds(hour * HOUR_SECONDS), id: String::new(), kind });
            }
        }
        assert!(batch.is_cut && counted(&batch) == MAX_PAIRS as u64 && batch.to_json().len() <= MAX_BYTES);
    }

    #[test]
    fn a_batch_that_cannot_be_read_is_none() {
        let stored = batch(&[]).to_json();
        assert_eq!(Batch::parse(&stored), Some(Batch::default()));
        let unknown = stored.replace("\"counts\":{}", "\"counts\":{\"3600\":{\"no_such_code\":1}}");
        let nowhere = stored.replace("\"requests\":[]", "\"requests\":[[1,\"\",0]]");
        for other in ["", "{}", "[]", unknown.as_str(), nowhere.as_str()] {
            assert!(other != stored && Batch::parse(other).is_none(), "{other}");
        }
    }
}
