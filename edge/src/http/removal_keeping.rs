//! Copies the entries of a removal to R2 before the removal is answered.

use super::App;
use crate::ports::platform::Platform;
use crate::refusal::Refusal;
use crate::removals::keep_new;
use std::pin::Pin;

/// Keeps the removal that has just happened. The removal itself has succeeded, so a failure here must not fail its
/// answer: the sweep tries again within a minute.
///
/// It is boxed, so that it is not compiled into each of its many callers.
pub(super) fn keep_removal(app: &App) -> Pin<Box<dyn Future<Output = Result<(), Refusal>> + '_>> {
    Box::pin(async move {
        let platform = app.platform()?;
        if let Err(cause) = keep_new(platform.database(), platform.objects()).await {
            tracing::error!(%cause, "a removal is not in the removal log yet; the sweep will add it");
        }
        Ok(())
    })
}
