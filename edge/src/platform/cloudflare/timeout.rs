//! Timeouts for operations of the platform.

use super::random::PlatformEntropy;
use crate::platform::database::tries::Timer;
use crate::platform::entropy::Entropy;
use crate::platform::error::PlatformError;
use futures_util::future::{Either, select};
use std::pin::pin;
use std::time::Duration;
use worker::{Date, Delay};

/// Waits for an operation, but not longer than this. After a timeout, it may still take effect.
pub(crate) async fn within<T>(
    time: Duration,
    operation: impl Future<Output = Result<T, PlatformError>>,
) -> Result<T, PlatformError> {
    match select(pin!(operation), pin!(Delay::from(time))).await {
        Either::Left((answer, _)) => answer,
        Either::Right(_) => Err(PlatformError::Failed(format!("no answer within {time:?}"))),
    }
}

/// The clock and the randomness of the platform.
pub(crate) struct PlatformTimer;

impl Timer for PlatformTimer {
    fn now_ms(&self) -> u64 {
        Date::now().as_millis()
    }

    async fn sleep(&self, time: Duration) {
        Delay::from(time).await;
    }

    fn random(&self) -> u8 {
        let mut byte = [0];
        PlatformEntropy.fill(&mut byte);
        byte[0]
    }
}
