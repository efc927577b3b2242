//! Counts requests in Workers Analytics Engine: one data point for each, without a write to the database. Operators
//! read them with `clipgate-watch traffic`. The local runtime drops them.

use contract::traffic::{BINDING, BLOBS, DOUBLES};
use worker::{AnalyticsEngineDataPointBuilder, Env};

/// Writes a data point with the values of `BLOBS` and `DOUBLES`, in their order. The first blob is the route: each
/// route is sampled separately, so that rare routes are not lost.
///
/// Returns whether it was written. Neither a failure nor a dataset that is not bound may fail the request.
pub(crate) fn count(env: &Env, blobs: [&str; BLOBS.len()], doubles: [u64; DOUBLES.len()]) -> bool {
    let Ok(dataset) = env.analytics_engine(BINDING) else { return false };
    let [route, ..] = blobs;
    // These numbers are far below the largest integer that a double represents exactly.
    #[expect(clippy::cast_precision_loss, reason = "durations and rows of one request")]
    let doubles = doubles.map(|number| number as f64);
    let point = AnalyticsEngineDataPointBuilder::new().indexes([route]).blobs(blobs).doubles(doubles);
    point.write_to(&dataset).is_ok()
}
