//! The clock and the randomness for the pauses between tries: a pause ends at once, after other tasks have had a turn.

use crate::platform::database::tries::Timer;
use std::cell::Cell;
use std::future::poll_fn;
use std::task::Poll;
use std::time::Duration;

#[derive(Debug, Default)]
pub(crate) struct VirtualTimer {
    passed_ms: Cell<u64>,
    last_byte: Cell<u8>,
}

impl Timer for VirtualTimer {
    fn now_ms(&self) -> u64 {
        self.passed_ms.get()
    }

    async fn sleep(&self, time: Duration) {
        self.passed_ms.set(self.passed_ms.get() + u64::try_from(time.as_millis()).unwrap());
        let mut has_waited = false;
        poll_fn(|context| {
            if std::mem::replace(&mut has_waited, true) {
                return Poll::Ready(());
            }
            context.waker().wake_by_ref();
            Poll::Pending
        })
        .await;
    }

    /// Returns all 256 bytes in a fixed order.
    fn random(&self) -> u8 {
        self.last_byte.set(self.last_byte.get().wrapping_mul(5).wrapping_add(113));
        self.last_byte.get()
    }
}
