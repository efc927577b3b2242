//! A test upload with its own key, and the outcome as metrics.

use super::exposition::Exposition;
use crate::test_clip::{Steps, TestClip, client};
use anyhow::Result;
use std::time::Duration;

/// The outcome of a test upload: the steps that succeeded, and the error of the first failure.
#[derive(Debug)]
pub struct Canary {
    steps: Steps,
    pub outcome: Result<()>,
}

impl Canary {
    /// Uploads the clip, waits until it is published, opens its page, and deletes it.
    pub async fn fly(upload_url: &str, key: &str, timeout: Duration) -> Result<Self> {
        let client = client()?;
        let clip = TestClip { client: &client, upload_url: upload_url.trim_end_matches('/'), key };
        let mut steps = Vec::new();
        let outcome = clip.run(timeout, &mut steps).await.map(drop);
        Ok(Self { steps, outcome })
    }

    /// Returns the metrics.
    pub fn metrics(&self, now_unix: u64) -> String {
        let mut page = Exposition::default();
        page.metric(
            "clipgate_canary_success",
            "Whether a test video could be uploaded, published, opened and deleted.",
        );
        page.sample("clipgate_canary_success", &[], f64::from(u8::from(self.outcome.is_ok())));
        page.metric("clipgate_canary_step_seconds", "Duration of each step that succeeded.");
        for (step, duration) in &self.steps {
            page.sample("clipgate_canary_step_seconds", &[("step", step)], duration.as_secs_f64());
        }
        page.metric("clipgate_canary_timestamp_seconds", "Unix time of the end of the last test upload.");
        page.sample("clipgate_canary_timestamp_seconds", &[], seconds(now_unix));
        page.into_text()
    }
}

#[expect(clippy::cast_precision_loss, reason = "a double has every second of the next million years")]
pub(super) fn seconds(unix: u64) -> f64 {
    unix as f64
}

#[cfg(test)]
mod tests {
    use super::Canary;
    use anyhow::anyhow;
    use std::time::Duration;

    #[test]
    fn a_failed_upload_still_says_when_it_was_and_how_far_it_came() {
        let steps = vec![("upload", Duration::from_millis(250))];
        let text = Canary { steps, outcome: Err(anyhow!("no origin")) }.metrics(1_700_000_000);
        let lines: Vec<_> = text.lines().filter(|line| !line.starts_with('#')).collect();
        let expected = [
            "clipgate_canary_success 0",
            "clipgate_canary_step_seconds{step=\"upload\"} 0.25",
            "clipgate_canary_timestamp_seconds 1700000000",
        ];
        assert_eq!(lines, expected);
    }
}
