//! `clipgate limits`.

use crate::cli::context::Context;
use crate::cli::times::utc;
use anyhow::Result;
use contract::api::UploadLimits;
use std::process::ExitCode;

pub(crate) async fn run(context: &Context) -> Result<ExitCode> {
    let limits = context.client()?.upload_limits().await?;
    context.output.result("limits", &text(&limits), &limits)?;
    Ok(ExitCode::SUCCESS)
}

fn text(limits: &UploadLimits) -> String {
    let rules = &limits.accepts;
    let reset = limits.limit.limit_reset_time_unix.map(|time| format!(", again from {}", utc(time)));
    format!(
        "Uploads left today: {} of {}{}\nChanges left today: {} of {}\nUploads at once:    {}\nRequests:           {} per {} s\nVideos:             {} to {} s, up to {} MB\nFormats:            {}",
        limits.remaining,
        limits.limit.limit_amount,
        reset.unwrap_or_default(),
        limits.remaining_changes,
        limits.max_daily_changes,
        limits.max_open_uploads,
        limits.max_requests,
        limits.request_period_seconds,
        rules.min_duration_ms / 1000,
        rules.max_duration_ms / 1000,
        rules.max_file_bytes.max(rules.max_resumable_bytes) / 1_000_000,
        rules.file_extensions.join(", "),
    )
}
