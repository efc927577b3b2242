//! Reads small bodies completely. Size and time are limited for each body, and memory for all bodies of an isolate
//! together.
//!
//! Call it only after the caller was identified, so that no byte of an unknown caller's body is read.

use super::App;
use crate::base::refusal::Refusal;
use crate::base::unix_seconds::UnixSeconds;
use crate::platform::isolate::{Quota, QuotaShare};
use axum::body::{Body, Bytes};
use contract::ErrorCode;
use contract::job::MAX_JOB_BODY_BYTES;
use contract::limits::JSON_BODY_SECONDS as READ_SECONDS;
use futures_util::future::{Either, select};
use futures_util::{Stream, StreamExt};
use std::pin::pin;
use std::time::Duration;
use worker::Delay;
use worker::send::SendFuture;

/// Enough for 32 bodies of the largest size at once; real ones have a few kilobytes. An isolate has 128 MB, most of
/// which belongs to uploads.
const BUDGET_BYTES: usize = 8 * 1024 * 1024;

/// The time after which a share is free again. Times are whole seconds, so this must be longer than a body may take.
const SHARE_SECONDS: u64 = READ_SECONDS + 1;

static BUDGET: Quota = Quota::new(BUDGET_BYTES, SHARE_SECONDS);

const _: () = assert!(BUDGET_BYTES / MAX_JOB_BODY_BYTES == 32 && SHARE_SECONDS > READ_SECONDS);

/// A whole body. It counts against the budget until it is dropped.
pub(super) struct SmallBody<'a> {
    pub bytes: Vec<u8>,
    share: QuotaShare<'a>,
}

/// Reads a body of at most `max_bytes`. 400 `request_malformed` if it is larger or incomplete, 408 `request_timeout`,
/// 503 `service_overloaded`.
pub(super) async fn read(app: &App, body: Body, max_bytes: usize) -> Result<SmallBody<'static>, Refusal> {
    SendFuture::new(async {
        let reading = collect(body.into_data_stream(), max_bytes, &BUDGET, || app.now());
        match select(pin!(reading), pin!(Delay::from(Duration::from_secs(READ_SECONDS)))).await {
            Either::Left((body, _)) => body,
            Either::Right(_) => Err(Refusal::new(ErrorCode::RequestTimeout).with_detail(format!(
                "The request body did not arrive within {READ_SECONDS} seconds. Send the request again."
            ))),
        }
    })
    .await
}

/// Counts the bytes as they arrive, because a caller may announce any length.
async fn collect<E>(
    chunks: impl Stream<Item = Result<Bytes, E>>,
    max_bytes: usize,
    budget: &Quota,
    now: impl Fn() -> UnixSeconds,
) -> Result<SmallBody<'_>, Refusal> {
    let mut chunks = pin!(chunks);
    let share = budget.take(0, now()).ok_or_else(overloaded)?;
    let mut body = SmallBody { bytes: Vec::new(), share };
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk.map_err(|_| Refusal::malformed("The body is incomplete. Send the request again."))?;
        if chunk.len() > max_bytes - body.bytes.len() {
            return Err(too_large(max_bytes));
        }
        if !body.share.grow(chunk.len(), now()) {
            return Err(overloaded());
        }
        body.bytes.extend_from_slice(&chunk);
    }
    Ok(body)
}

fn too_large(max_bytes: usize) -> Refusal {
    Refusal::malformed(format!("The body is larger than {} KiB. Send a smaller body.", max_bytes / 1024))
}

fn overloaded() -> Refusal {
    let detail = "The service is handling too many requests. Try again after `Retry-After` seconds.";
    Refusal::overloaded().with_detail(detail)
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;
    use futures_util::stream;
    use std::cell::Cell;

    const START: UnixSeconds = UnixSeconds(1_000);

    /// Reads these chunks, and then waits for more unless the body has ended.
    fn read<'a>(budget: &'a Quota, chunks: &[usize], has_ended: bool) -> Option<Result<SmallBody<'a>, Refusal>> {
        let chunks: Vec<_> = chunks.iter().map(|length| Ok::<_, ()>(Bytes::from(vec![b'x'; *length]))).collect();
        let rest = if has_ended { stream::empty().left_stream() } else { stream::pending().right_stream() };
        collect(stream::iter(chunks).chain(rest), 100, budget, || START).now_or_never()
    }

    fn code(outcome: Option<Result<SmallBody<'_>, Refusal>>) -> ErrorCode {
        outcome.expect("it does not wait for more").map(|body| body.bytes).unwrap_err().code
    }

    #[test]
    fn a_body_is_read_whole_up_to_its_limit() {
        let budget = Quota::new(1_000, 11);
        for chunks in [&[][..], &[1], &[100], &[60, 0, 40]] {
            let body = read(&budget, chunks, true).unwrap().map(|body| body.bytes.len()).ok();
            assert_eq!(body, Some(chunks.iter().sum()));
        }
    }

    #[test]
    fn a_body_that_is_too_large_is_refused_before_its_end() {
        let budget = Quota::new(1_000, 11);
        for chunks in [&[101][..], &[60, 41]] {
            assert_eq!(code(read(&budget, chunks, false)), ErrorCode::RequestMalformed);
        }
    }

    #[test]
    fn a_broken_body_is_refused() {
        let budget = Quota::new(1_000, 11);
        let chunks = stream::iter([Ok(Bytes::from_static(b"{")), Err(())]);
        let outcome = collect(chunks, 100, &budget, || START).now_or_never();
        assert_eq!(code(outcome), ErrorCode::RequestMalformed);
    }

    #[test]
    fn bodies_that_exceed_the_budget_together_are_refused_and_use_none_of_it() {
        let budget = Quota::new(150, 11);
        let first = read(&budget, &[50, 40], true);
        let refused = read(&budget, &[40, 40], false);
        assert_eq!(refused.as_ref().unwrap().as_ref().map(|_| ()).unwrap_err().retry_after_seconds, Some(5));
        assert_eq!(code(refused), ErrorCode::ServiceOverloaded);
        let second = read(&budget, &[60], true).unwrap();
        assert!(second.is_ok());
        drop((first, second));
        assert!(read(&budget, &[100], true).unwrap().is_ok());
    }

    #[test]
    fn bytes_that_have_not_arrived_are_not_counted() {
        let budget = Quota::new(100, 11);
        let waiting = collect(stream::pending::<Result<Bytes, ()>>(), 100, &budget, || START);
        let mut waiting = pin!(waiting);
        assert!(waiting.as_mut().now_or_never().is_none());
        assert!(read(&budget, &[100], true).unwrap().is_ok());
    }

    #[test]
    fn a_cancelled_request_gives_its_bytes_back_after_the_time_limit() {
        let budget = Quota::new(100, READ_SECONDS + 1);
        let clock = Cell::new(START);
        let chunks = stream::iter([Ok::<_, ()>(Bytes::from(vec![0; 80]))]).chain(stream::pending());
        let mut cancelled = pin!(collect(chunks, 100, &budget, || clock.get()));
        assert!(cancelled.as_mut().now_or_never().is_none());
        let again = |at| {
            let chunks = stream::iter([Ok::<_, ()>(Bytes::from(vec![0; 80]))]);
            collect(chunks, 100, &budget, || at).now_or_never().unwrap().is_ok()
        };
        assert!(!again(START + READ_SECONDS));
        assert!(again(START + READ_SECONDS + 1));
    }
}
