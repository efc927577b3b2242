//! A limit for how long the platform may take.

use crate::ports::error::PlatformError;
use futures_util::future::{Either, select};
use std::pin::pin;
use std::time::Duration;
use worker::Delay;

/// Waits for an operation, but not longer than this. It may still take effect afterwards.
pub(crate) async fn within<T>(
    time: Duration,
    operation: impl Future<Output = Result<T, PlatformError>>,
) -> Result<T, PlatformError> {
    match select(pin!(operation), pin!(Delay::from(time))).await {
        Either::Left((answer, _)) => answer,
        Either::Right(_) => Err(PlatformError(format!("no answer within {time:?}"))),
    }
}
