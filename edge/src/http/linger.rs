//! Keeps the connection of a refused request while its client is still sending.
//!
//! The whole response is sent at once, with its length, so a client that reads it is done. But the Worker ends its
//! stream only after the client has sent the rest of the request or has stopped sending. If the stream ended earlier,
//! the runtime would reset the connection, and a client that sends everything before it reads would lose the response.
//! A response without a body has no end to hold back. Before such a response, `read_rest` reads the rest of the
//! request.

use crate::base::refusal::Refusal;
use crate::base::unix_seconds::UnixSeconds;
use crate::platform::cloudflare::edge_cache::run_to_end;
use crate::platform::cloudflare::response::HeldEnd;
use crate::platform::isolate::{Quota, QuotaShare};
use axum::body::{Body, BodyDataStream};
use axum::http::Response;
use axum::response::IntoResponse;
use contract::ErrorCode;
use futures_util::StreamExt;
use futures_util::future::{Either, select};
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tracing::{Instrument, Span};
use worker::{Date, Delay};

/// A client that sends nothing for this long has read the response or never will. Longer than most pauses of a mobile
/// network. It delays no client, because a client that has read the whole response is done.
const SILENCE: Duration = Duration::from_secs(5);

/// The limits for held connections of one kind of refusal: their duration, what the client may send meanwhile, and
/// their number.
struct LingerLimits {
    longest_seconds: u64,
    most_bytes: usize,
    quota: Quota,
}

/// Refusals of callers with a valid key. Without a maximum time, a client could keep its connection open with a few
/// bytes a second.
static KNOWN_CALLERS: LingerLimits = LingerLimits::new(10, usize::MAX, 64);

/// Refusals of callers whose key is not known to be valid. They have a separate quota and end sooner, so that they
/// cannot crowd out the others.
static UNKNOWN_CALLERS: LingerLimits = LingerLimits::new(3, usize::MAX, 16);

/// Refusals of bytes that do not continue an upload where it ended. A client asks for the right offset after these and
/// after a broken connection alike, so the bytes that it still sends would be wasted. Over HTTP/1.1, Chromium by itself
/// repeats a request that broke, and reads the response only when all of its body is sent.
static WRONG_OFFSETS: LingerLimits = LingerLimits::new(10, 1024 * 1024, 64);

impl LingerLimits {
    const fn new(longest_seconds: u64, most_bytes: usize, at_once: usize) -> Self {
        // Times are whole seconds, so a share must last one second longer than a refusal can be held.
        Self { longest_seconds, most_bytes, quota: Quota::new(at_once, longest_seconds + 1) }
    }

    /// Returns the limits for a refusal by its code, for a caller who may have a valid key.
    fn of(code: ErrorCode) -> &'static Self {
        match code {
            ErrorCode::ApiKeyInvalid => &UNKNOWN_CALLERS,
            ErrorCode::UploadOffsetMismatch => &WRONG_OFFSETS,
            _ => &KNOWN_CALLERS,
        }
    }

    /// Returns when the rest has been read or the time is up, or at once if no place is left. A client that has
    /// disconnected takes no place: a refusal is held only after the client has received it, and the body of a client
    /// that is gone ends with an error.
    async fn hold(&self, rest: &mut BodyDataStream) {
        if let Some(_place) = self.place(UnixSeconds(Date::now().as_millis() / 1000)) {
            let longest = Delay::from(Duration::from_secs(self.longest_seconds));
            select(pin!(discard(rest, self.most_bytes)), pin!(longest)).await;
        }
    }

    /// Returns a place among the refusals that are held open, if one is left.
    fn place(&self, now: UnixSeconds) -> Option<QuotaShare<'_>> {
        self.quota.take(1, now)
    }
}

/// The unread rest of a refused request's body, which travels in the extensions of the response.
#[derive(Clone)]
pub(super) struct UnreadBody {
    body: Arc<Mutex<Option<BodyDataStream>>>,
    limits: &'static LingerLimits,
}

impl UnreadBody {
    /// Returns the refusal's response with the rest of the request's body attached. Unless the refusal says otherwise,
    /// its caller has a valid key.
    pub(super) fn attach(refusal: Refusal, body: BodyDataStream) -> Response<Body> {
        Self::attach_with(LingerLimits::of(refusal.code), refusal, body)
    }

    /// Does the same for a caller who was refused before the key was looked up.
    pub(super) fn attach_for_unknown_caller(refusal: Refusal, body: BodyDataStream) -> Response<Body> {
        Self::attach_with(&UNKNOWN_CALLERS, refusal, body)
    }

    /// Runs work that reads a body, to its end even if the client disconnects. Returns the response if it refuses.
    pub(super) async fn run_to_end<T: 'static>(
        mut body: BodyDataStream,
        work: impl AsyncFnOnce(&mut BodyDataStream) -> Result<T, Refusal> + 'static,
    ) -> Result<T, Response<Body>> {
        let work = async move {
            let outcome = work(&mut body).await;
            (outcome, body)
        };
        match run_to_end(work.instrument(Span::current())).await {
            Ok((outcome, body)) => outcome.map_err(|refusal| Self::attach(refusal, body)),
            Err(error) => Err(Refusal::from(error).into_response()),
        }
    }

    fn attach_with(limits: &'static LingerLimits, refusal: Refusal, body: BodyDataStream) -> Response<Body> {
        let mut response = refusal.into_response();
        let body = Arc::new(Mutex::new(Some(body)));
        response.extensions_mut().insert(Self { body, limits });
        response
    }

    /// Takes the body out. Any later call returns `None`.
    fn take(&self) -> Option<BodyDataStream> {
        self.body.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// Holds back the end of the response while the rest of the request arrives, if a body is attached.
pub(super) fn hold_open(mut response: Response<Body>) -> Response<Body> {
    let unread = response.extensions_mut().remove::<UnreadBody>();
    if let Some(unread) = unread
        && let Some(mut rest) = unread.take()
    {
        let limits = unread.limits;
        response.extensions_mut().insert(HeldEnd::until(async move { limits.hold(&mut rest).await }));
    }
    response
}

/// Reads and discards the rest of a request before its response is sent, for at most as long as the refusal of a caller
/// with a valid key is held.
pub(super) async fn read_rest(body: &mut BodyDataStream) {
    KNOWN_CALLERS.hold(body).await;
}

/// Reads to the end, or until the client stops sending or has sent this much. The platform limits the size of a
/// request.
async fn discard(body: &mut BodyDataStream, most_bytes: usize) {
    let mut left = most_bytes;
    while left > 0 {
        match select(pin!(body.next()), pin!(Delay::from(SILENCE))).await {
            Either::Left((Some(Ok(bytes)), _)) => left = left.saturating_sub(bytes.len()),
            Either::Left(_) | Either::Right(_) => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: UnixSeconds = UnixSeconds(1_000);

    #[test]
    fn only_so_many_refusals_are_held_open_at_once() {
        let limits = LingerLimits::new(10, usize::MAX, 2);
        let (first, second) = (limits.place(NOW), limits.place(NOW));
        assert!(first.is_some() && second.is_some() && limits.place(NOW).is_none());
        drop(first);
        assert!(limits.place(NOW).is_some());
    }

    #[test]
    fn the_place_of_a_request_that_was_cancelled_is_free_again_after_the_longest_time() {
        let limits = LingerLimits::new(10, usize::MAX, 1);
        let _cancelled = limits.place(NOW);
        assert!(limits.place(NOW + 10).is_none());
        assert!(limits.place(NOW + 11).is_some());
    }

    #[test]
    fn callers_without_a_valid_key_cannot_take_the_places_of_others() {
        let limits_of = |response: Response<Body>| response.extensions().get::<UnreadBody>().unwrap().limits;
        let body = || Body::empty().into_data_stream();
        let rate_limited = Refusal::new(ErrorCode::RateLimited);
        let known = limits_of(UnreadBody::attach(rate_limited.clone(), body()));
        let unknown = [
            limits_of(UnreadBody::attach(Refusal::new(ErrorCode::ApiKeyInvalid), body())),
            limits_of(UnreadBody::attach_for_unknown_caller(rate_limited, body())),
        ];
        let taken: Vec<_> = unknown.iter().flat_map(|limits| (0..100).map(|_| limits.place(NOW))).collect();
        assert!(taken.iter().any(Option::is_none) && known.place(NOW).is_some());
        assert!(unknown.iter().all(|limits| limits.longest_seconds < known.longest_seconds));
    }
}
