//! Every path of the HTTP interface, once.

/// Key management lives below this; its failures carry the whole key envelope.
pub const KEY_MANAGEMENT: &str = "/api/php/user_settings/";

pub const CREATE_API_KEY: &str = "/api/php/user_settings/create_api_key";
pub const DELETE_API_KEY: &str = "/api/php/user_settings/delete_api_key";
pub const ROTATE_API_KEY: &str = "/api/php/user_settings/rotate_api_key";
pub const GET_API_KEY: &str = "/api/php/user_settings/get_api_key";

pub const UPLOAD_VIDEO: &str = "/api/php/developer/upload_video";
pub const UPLOAD_LIMITS: &str = "/api/php/developer/upload_limits";
pub const UPLOAD_STATUS: &str = "/api/php/developer/upload_status";
pub const UPLOADS: &str = "/api/php/developer/uploads";

pub const CATEGORIES: &str = "/api/php/developer/categories";

/// Where the site sets what `CATEGORIES` lists.
pub const SERVICE_CATEGORIES: &str = "/internal/categories";
pub const SWEEP: &str = "/internal/sweep";
pub const SESSIONS: &str = "/internal/sessions";

/// What the origins call.
pub const JOB_CLAIM: &str = "/internal/jobs/claim";
pub const JOB_PROGRESS: &str = "/internal/jobs/progress";
pub const JOB_RELEASE: &str = "/internal/jobs/release";
pub const JOB_REPORT: &str = "/internal/jobs/report";
/// What the media team calls, with the admin token: a new job for a content.
pub const JOB_REQUEUE: &str = "/internal/jobs/requeue";

/// What an owner does with a content that exists.
pub const DELETE_CONTENT: &str = "/api/php/developer/delete_content";
pub const RESCHEDULE_CONTENT: &str = "/api/php/developer/reschedule_content";

/// What moderators call, with the admin token.
pub const MODERATION_QUEUE: &str = "/internal/moderation/queue";
pub const MODERATION_APPROVE: &str = "/internal/moderation/approve";
pub const MODERATION_REJECT: &str = "/internal/moderation/reject";
pub const MODERATION_TAKE_DOWN: &str = "/internal/moderation/take_down";
pub const MODERATION_DECISIONS: &str = "/internal/moderation/decisions";
pub const MODERATION_HASHES: &str = "/internal/moderation/hashes";

/// A content's files, and its page: what stands behind these is public.
pub const MEDIA: &str = "/media/";
pub const PAGE: &str = "/meme/";

pub const OPENAPI: &str = "/openapi.json";
pub const HEALTH: &str = "/healthz";
