//! Calls of the platform that run at the same time.
//!
//! A few lines instead of a stream's buffer, which would make the Worker larger.

use futures_util::future::{MaybeDone, maybe_done};
use std::future::poll_fn;
use std::pin::Pin;
use std::task::Poll;

/// The number of calls that run at the same time. The platform would make further ones wait.
const CALLS_AT_ONCE: usize = 6;

pub(super) type Call<'a, T> = Pin<Box<dyn Future<Output = T> + 'a>>;

/// Makes the calls, a few at the same time, and returns their results in order.
pub(super) async fn run_at_once<'a, T>(calls: impl Iterator<Item = Call<'a, T>>) -> Vec<T> {
    let mut calls = calls.map(maybe_done).peekable();
    let mut results = Vec::new();
    while calls.peek().is_some() {
        results.extend(join(calls.by_ref().take(CALLS_AT_ONCE).collect()).await);
    }
    results
}

async fn join<T>(mut calls: Vec<MaybeDone<Call<'_, T>>>) -> Vec<T> {
    poll_fn(|context| {
        let open = calls.iter_mut().filter_map(|call| Pin::new(call).poll(context).is_pending().then_some(())).count();
        if open == 0 { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    calls.iter_mut().filter_map(|call| Pin::new(call).take_output()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_executor::block_on;
    use std::cell::Cell;

    #[test]
    fn results_are_in_order_and_not_too_many_calls_run_at_once() {
        let (running, most) = (Cell::new(0), Cell::new(0));
        let calls = (0..20_usize).map(|number| -> Call<'_, usize> {
            let (running, most) = (&running, &most);
            Box::pin(async move {
                running.set(running.get() + 1);
                most.set(most.get().max(running.get()));
                // Later calls are ready earlier.
                for _ in 0..20 - number {
                    let mut is_second = false;
                    poll_fn(|context| {
                        context.waker().wake_by_ref();
                        if std::mem::replace(&mut is_second, true) { Poll::Ready(()) } else { Poll::Pending }
                    })
                    .await;
                }
                running.set(running.get() - 1);
                number
            })
        });
        assert!(block_on(run_at_once(calls)).into_iter().eq(0..20));
        assert_eq!(most.get(), CALLS_AT_ONCE);
    }
}
