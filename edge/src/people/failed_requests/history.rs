//! The view of a channel's owner: the counts and the last requests of all stored batches.

use super::batch::{Batch, Counts, HOUR_SECONDS};
use super::request::FailedRequest;
use crate::base::unix_seconds::UnixSeconds;
use contract::api;
use contract::limits::{FAILED_REQUESTS_SECONDS, MAX_LISTED_FAILED_REQUESTS};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Returns the first whole hour that is younger than a week.
pub(super) fn since(now: UnixSeconds) -> UnixSeconds {
    let start = now.0.saturating_sub(FAILED_REQUESTS_SECONDS);
    UnixSeconds(start.next_multiple_of(HOUR_SECONDS))
}

/// The batches that were merged so far. Their order makes no difference.
#[derive(Debug)]
pub(super) struct History {
    since: UnixSeconds,
    counts: Counts,
    requests: Vec<FailedRequest>,
    is_complete: bool,
}

impl History {
    pub(super) fn new(since: UnixSeconds) -> Self {
        Self { since, counts: BTreeMap::new(), requests: Vec::new(), is_complete: true }
    }

    pub(super) fn add(&mut self, batch: Batch) {
        let Batch { counts, requests, is_cut } = batch;
        self.merge(Self { since: self.since, counts, requests: requests.into(), is_complete: !is_cut });
    }

    pub(super) fn merge(&mut self, other: Self) {
        for (hour, codes) in other.counts.into_iter().filter(|(hour, _)| *hour >= self.since.0) {
            let counts = self.counts.entry(hour).or_default();
            for (text, (code, count)) in codes {
                let sum = &mut counts.entry(text).or_insert((code, 0)).1;
                *sum = sum.saturating_add(count);
            }
        }
        let since = self.since;
        self.requests.extend(other.requests.into_iter().filter(|request| request.at >= since));
        self.requests.sort_by(|one, other| (Reverse(one.at), &other.id).cmp(&(Reverse(other.at), &one.id)));
        self.requests.truncate(MAX_LISTED_FAILED_REQUESTS);
        self.is_complete &= other.is_complete;
    }

    /// Notes that not all batches could be read.
    pub(super) fn note_gap(&mut self) {
        self.is_complete = false;
    }

    pub(super) fn into_body(self) -> api::FailedRequests {
        let counts = self.counts.into_iter().rev().flat_map(|(hour_unix, codes)| {
            let count = move |(code, count)| api::FailureCount { hour_unix, error_message_code: code, count };
            codes.into_values().map(count)
        });
        api::FailedRequests {
            success: true,
            since_unix: self.since.0,
            is_complete: self.is_complete,
            counts: counts.collect(),
            requests: self.requests.into_iter().map(shown).collect(),
        }
    }
}

fn shown(request: FailedRequest) -> api::FailedRequest {
    let FailedRequest { at, id, kind } = request;
    api::FailedRequest {
        at_unix: at.0,
        request_id: id,
        method: kind.method.clone(),
        path: kind.path.clone(),
        status: kind.code.status(),
        error_message_code: kind.code,
        field: kind.field.clone(),
        // The response had the general text if the refusal has no other.
        detail: Some(kind.detail.clone().unwrap_or_else(|| kind.code.text().to_owned())),
        user_agent: kind.user_agent.clone(),
        credential: kind.credential,
    }
}

#[cfg(test)]
mod tests {
    use super::super::batch::testing::{batch, request};
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;

    const NOW: UnixSeconds = UnixSeconds(20_785 * 86_400 + 1_234);

    fn merged(batches: Vec<Batch>) -> api::FailedRequests {
        let mut history = History::new(since(NOW));
        for batch in batches {
            history.add(batch);
        }
        history.into_body()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(fixtures::cases(60, 2_000)))]

        #[test]
        fn it_makes_no_difference_how_requests_are_divided_into_batches(
            requests in vec(request(NOW.0 - 8 * 86_400, 8 * 86_400), 0..70),
            cuts in vec(1..9_usize, 20),
            is_reversed: bool,
        ) {
            let (mut rest, mut batches) = (requests.as_slice(), Vec::new());
            for cut in cuts.into_iter().cycle() {
                if rest.is_empty() {
                    break;
                }
                let (first, others) = rest.split_at(cut.min(rest.len()));
                batches.push(batch(first));
                rest = others;
            }
            // Otherwise, the division says which requests are kept.
            prop_assume!(batches.iter().map(|batch| batch.requests.len()).sum::<usize>() == requests.len());
            if is_reversed {
                batches.reverse();
            }
            let single = requests.iter().map(|request| batch(std::slice::from_ref(request))).collect();
            prop_assert_eq!(merged(batches), merged(single));
        }

        #[test]
        fn everything_of_the_last_week_is_counted_and_the_last_fifty_are_listed(
            requests in vec(request(NOW.0 - 8 * 86_400, 8 * 86_400), 0..120),
        ) {
            let body = merged(requests.iter().map(|request| batch(std::slice::from_ref(request))).collect());
            let mut recent: Vec<_> = requests.iter().map(|request| request.at).filter(|at| *at >= since(NOW)).collect();
            prop_assert_eq!(body.counts.iter().map(|count| count.count).sum::<u64>(), recent.len() as u64);
            recent.sort_by_key(|at| Reverse(*at));
            recent.truncate(50);
            let listed: Vec<_> = body.requests.iter().map(|request| UnixSeconds(request.at_unix)).collect();
            prop_assert_eq!(listed, recent);
            let keys = body.counts.iter().map(|count| (Reverse(count.hour_unix), count.error_message_code.as_str()));
            prop_assert!(keys.is_sorted());
        }
    }

    #[test]
    fn the_period_begins_with_a_whole_hour_of_the_last_seven_days() {
        for (now, expected) in [(604_800, 0), (604_801, 3_600), (608_400, 3_600), (5, 0)] {
            assert_eq!(since(UnixSeconds(now)), UnixSeconds(expected));
        }
    }

    #[test]
    fn a_gap_and_a_cut_batch_make_it_incomplete() {
        assert!(merged(vec![Batch::default()]).is_complete);
        assert!(!merged(vec![Batch { is_cut: true, ..Batch::default() }, Batch::default()]).is_complete);
        let mut history = History::new(UnixSeconds(0));
        history.note_gap();
        assert!(!history.into_body().is_complete);
    }
}
