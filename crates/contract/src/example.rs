//! The values that the examples in the OpenAPI document share. Each example is a value of its type, so it cannot differ
//! from real bodies.

pub const BASE: &str = "https://www.clipgate.example";
pub const SITE: &str = "https://clipgate.example";

pub const NOW: u64 = 1_795_207_125;
pub const TOMORROW: u64 = 1_795_305_600;

pub const CONTENT_UUID: &str = "0a6f0f6a-2f43-4d4b-9a53-7d2c9a1be0c4";
pub const MEDIA_NAME: &str = "mXv2Vq0PzJ4cN8sT";
pub const SLUG_URL: &str = "my-first-video-k3x9";

pub const DIRECT_UPLOAD_ID: &str = "019a9b1c-4a6f-7c3e-9b52-6d1f0e8a7c34";

pub const WEBHOOK_UUID: &str = "5d7b1c0e-93f4-4a55-8a1e-3f6c2b7d9e10";
pub const HOOK: &str = "https://hooks.shop.example/clipgate";

pub const REASON: &str = "Two people agreed.";
pub const MODERATOR: &str = "moderator-7";
pub const ORIGIN: &str = "origin-1";

/// Returns the signed address of a file for moderators.
pub fn review_url(file: &str) -> String {
    let (path, signature) = (crate::paths::MODERATION_FILE, "0".repeat(64));
    format!("{BASE}{path}?content={CONTENT_UUID}&file={file}&until={NOW}&signature={signature}")
}

pub fn video_url() -> String {
    review_url("video.mp4")
}
