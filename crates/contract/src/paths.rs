//! Every path of the HTTP interface, defined in one place. Parameters are in braces, as in the OpenAPI document and the
//! edge's router.

/// The prefix of the endpoints for programs and the site's pages.
pub const API: &str = "/api/";

/// Takes viewers' reports of a page.
pub const REPORT_PAGE: &str = "/api/report";

/// The prefix of the endpoints for signed-in owners. Refusals carry the whole key envelope.
pub const KEY_MANAGEMENT: &str = "/api/php/user_settings/";

pub const CREATE_API_KEY: &str = "/api/php/user_settings/create_api_key";
pub const DELETE_API_KEY: &str = "/api/php/user_settings/delete_api_key";
pub const ROTATE_API_KEY: &str = "/api/php/user_settings/rotate_api_key";
pub const GET_API_KEY: &str = "/api/php/user_settings/get_api_key";

/// The prefix of the endpoints for programs, most of which signed-in owners may call too.
pub const DEVELOPER: &str = "/api/php/developer/";

pub const UPLOAD_VIDEO: &str = "/api/php/developer/upload_video";

/// Begins an upload that can be resumed.
pub const RESUMABLE_UPLOADS: &str = "/api/php/developer/resumable_uploads";
/// An upload that can be resumed. Its location is secret: whoever knows it can continue the upload.
pub const RESUMABLE_UPLOAD: &str = "/api/php/developer/resumable_uploads/{location}";

/// The owner's side of direct uploads: the one-time tokens of a channel.
pub const DIRECT_UPLOADS: &str = "/api/php/developer/direct_uploads";
pub const DIRECT_UPLOAD_BY_ID: &str = "/api/php/developer/direct_uploads/{direct_upload_id}";

/// The user's side: the form of an upload with a one-time token, and its state.
pub const DIRECT_UPLOAD: &str = "/api/php/developer/direct_upload";
/// Begins an upload with a one-time token that can be resumed.
pub const RESUMABLE_DIRECT_UPLOAD: &str = "/api/php/developer/direct_upload/resumable";

pub const UPLOAD_LIMITS: &str = "/api/php/developer/upload_limits";
pub const UPLOAD_STATUS: &str = "/api/php/developer/upload_status";
pub const UPLOADS: &str = "/api/php/developer/uploads";
pub const CATEGORIES: &str = "/api/php/developer/categories";
pub const DELETE_CONTENT: &str = "/api/php/developer/delete_content";
pub const UPDATE_CONTENT: &str = "/api/php/developer/update_content";
pub const UPDATE_THUMBNAIL: &str = "/api/php/developer/update_thumbnail";
pub const UPDATE_CAPTIONS: &str = "/api/php/developer/update_captions";
pub const DELETE_CAPTIONS: &str = "/api/php/developer/delete_captions";
pub const EVENTS: &str = "/api/php/developer/events";
/// The failed requests of a channel's programs.
pub const FAILED_REQUESTS: &str = "/api/php/developer/failed_requests";

pub const WEBHOOKS: &str = "/api/php/developer/webhooks";
pub const CREATE_WEBHOOK: &str = "/api/php/developer/webhooks/create";
pub const UPDATE_WEBHOOK: &str = "/api/php/developer/webhooks/update";
pub const DELETE_WEBHOOK: &str = "/api/php/developer/webhooks/delete";
pub const ROTATE_WEBHOOK_SECRET: &str = "/api/php/developer/webhooks/rotate_secret";
pub const TEST_WEBHOOK: &str = "/api/php/developer/webhooks/send_test";
pub const WEBHOOK_DELIVERIES: &str = "/api/php/developer/webhooks/deliveries";
pub const SEND_EVENTS_AGAIN: &str = "/api/php/developer/webhooks/send_again";

pub const RESCHEDULE_CONTENT: &str = "/api/php/developer/reschedule_content";
pub const RELEASE_CONTENT: &str = "/api/php/developer/release_content";
/// Appeals against the rejection or removal of a video.
pub const APPEAL_CONTENT: &str = "/api/php/developer/appeal_content";

/// Revokes an API key that was found in public.
pub const REPORT_LEAKED_KEY: &str = "/api/php/developer/report_leaked_key";

/// The prefix of the endpoints for the site's back end, origins and moderators.
pub const INTERNAL: &str = "/internal/";

/// Sets the list that `CATEGORIES` returns. The site's back end calls it.
pub const SERVICE_CATEGORIES: &str = "/internal/categories";
pub const SWEEP: &str = "/internal/sweep";
pub const SESSIONS: &str = "/internal/sessions";

pub const JOB_CLAIM: &str = "/internal/jobs/claim";
pub const JOB_PROGRESS: &str = "/internal/jobs/progress";
pub const JOB_RELEASE: &str = "/internal/jobs/release";
pub const JOB_REPORT: &str = "/internal/jobs/report";
/// Requests a new job for a content. The media team calls it with an admin token.
pub const JOB_REQUEUE: &str = "/internal/jobs/requeue";
/// The jobs whose delivery attempts are used up.
pub const DEAD_LETTERS: &str = "/internal/jobs/dead_letters";
pub const DEAD_LETTER_DROP: &str = "/internal/jobs/dead_letters/drop";

pub const MODERATION_QUEUE: &str = "/internal/moderation/queue";
pub const MODERATION_CONTENTS: &str = "/internal/moderation/contents";
pub const MODERATION_APPROVE: &str = "/internal/moderation/approve";
pub const MODERATION_REJECT: &str = "/internal/moderation/reject";
pub const MODERATION_TAKE_DOWN: &str = "/internal/moderation/take_down";
pub const MODERATION_RESTORE: &str = "/internal/moderation/restore";
pub const MODERATION_STATISTICS: &str = "/internal/moderation/statistics";
pub const MODERATION_LABEL: &str = "/internal/moderation/label";
pub const MODERATION_SUSPEND: &str = "/internal/moderation/suspend";
pub const MODERATION_LIFT_SUSPENSION: &str = "/internal/moderation/lift_suspension";
/// Takes down all contents of a channel, page by page.
pub const MODERATION_TAKE_DOWN_CHANNEL: &str = "/internal/moderation/take_down_channel";
/// Lists the approved contents that a person should look at again.
pub const MODERATION_FLAGGED: &str = "/internal/moderation/flagged";
pub const MODERATION_DISMISS: &str = "/internal/moderation/dismiss";
/// A file of a content for moderators, at a signed address.
pub const MODERATION_FILE: &str = "/internal/moderation/file";
/// The contents whose owners have appealed against their removal.
pub const MODERATION_APPEALS: &str = "/internal/moderation/appeals";
pub const MODERATION_REJECT_APPEAL: &str = "/internal/moderation/reject_appeal";
/// Everything that a moderator needs to know about one content.
pub const MODERATION_CASE: &str = "/internal/moderation/case";
/// Lists the groups of similar contents in the queue.
pub const MODERATION_GROUPS: &str = "/internal/moderation/groups";
/// Lists the blocked pictures that a content resembles.
pub const MODERATION_MATCHES: &str = "/internal/moderation/matches";
/// Returns the hash of the frame at a time in a content.
pub const MODERATION_FRAME: &str = "/internal/moderation/frame";
/// Claims a content for a few minutes for the moderator who is looking at it.
pub const MODERATION_CLAIM: &str = "/internal/moderation/claim";
pub const MODERATION_RELEASE_CLAIM: &str = "/internal/moderation/release_claim";
/// The rules that a rejection or a removal can name.
pub const MODERATION_POLICIES: &str = "/internal/moderation/policies";
/// Lists the evidence of removed contents that their owners deleted.
pub const MODERATION_EVIDENCE: &str = "/internal/moderation/evidence";
pub const MODERATION_DECISIONS: &str = "/internal/moderation/decisions";
pub const MODERATION_HASHES: &str = "/internal/moderation/hashes";
pub const MODERATION_HASH_IMPORT: &str = "/internal/moderation/hashes/import";
pub const MODERATION_HASH_EXPORT: &str = "/internal/moderation/hashes/export";

/// The moderator who is signed in at the desk, and how much waits.
pub const DESK_ACCOUNT: &str = "/internal/desk";
/// Exchanges a moderator's token for a cookie.
pub const DESK_SIGN_IN: &str = "/internal/desk/sign_in";
pub const DESK_SIGN_OUT: &str = "/internal/desk/sign_out";

pub const METRICS: &str = "/internal/metrics";
pub const SERVICE_HEALTH: &str = "/internal/health";
/// Compares the database with the removal log and the objects, after a restoration.
pub const FSCK: &str = "/internal/fsck";
/// Erases an account: its key, its contents and its records.
pub const ERASE_ACCOUNT: &str = "/internal/accounts/erase";
/// Returns everything that is stored about an account as lines of JSON.
pub const EXPORT_ACCOUNT: &str = "/internal/accounts/export";
/// Creates, lists and revokes tokens of moderators and of the site's back end.
pub const TOKENS: &str = "/internal/tokens";
/// Creates, lists and revokes the keys of origins.
pub const ORIGIN_KEYS: &str = "/internal/origin_keys";
/// The trail of decisions, tokens, suspensions and keys.
pub const TRAIL: &str = "/internal/trail";
/// Returns the whole trail as lines of JSON.
pub const TRAIL_EXPORT: &str = "/internal/trail/export";

/// The prefix of a content's files.
pub const MEDIA: &str = "/media/";
pub const MEDIA_VIDEO: &str = "/media/{name}";
pub const MEDIA_FILE: &str = "/media/{name}/{file}";
pub const MEDIA_HLS_FILE: &str = "/media/{name}/hls/{file}";

/// The prefix of a content's page.
pub const PAGE: &str = "/meme/";
pub const PAGE_OF_CONTENT: &str = "/meme/{slug_url}";

/// The prefix of a content's player, which every site may show in a frame.
pub const EMBED: &str = "/embed/";
pub const EMBED_OF_CONTENT: &str = "/embed/{slug_url}";

/// Returns the player of a page for other sites (oEmbed).
pub const OEMBED: &str = "/oembed";

pub const FRONT_PAGE: &str = "/";
pub const ROBOTS: &str = "/robots.txt";

/// The list of the parts of the sitemap, and the prefix of the parts.
pub const SITEMAP: &str = "/sitemap.xml";
pub const SITEMAP_PARTS: &str = "/sitemaps/";
pub const SITEMAP_PART: &str = "/sitemaps/{file}";

/// The prefix of the script of the pages. Its address contains its version.
pub const SCRIPTS: &str = "/scripts/";
pub const SCRIPT: &str = "/scripts/{file}";

/// The moderators' desk, and its files.
pub const DESK: &str = "/desk";
pub const DESK_FILES: &str = "/desk/";
pub const DESK_FILE: &str = "/desk/{*file}";

/// The console, a page for signed-in owners, and its files.
pub const CONSOLE: &str = "/console";
pub const CONSOLE_FILES: &str = "/console/";
pub const CONSOLE_FILE: &str = "/console/{*file}";
/// The addresses that the console needs.
pub const CONSOLE_SETTINGS: &str = "/console/settings.json";

/// The documentation site: its first page, and its other pages and files.
pub const DOCS: &str = "/docs";
pub const DOCS_FILES: &str = "/docs/";
pub const DOCS_FILE: &str = "/docs/{*file}";
/// The prefix of the pages about error codes.
pub const DOCS_ERRORS: &str = "/docs/errors/";

pub const ICON: &str = "/favicon.svg";
/// The icon that browsers request by themselves.
pub const OLD_ICON: &str = "/favicon.ico";

pub const OPENAPI: &str = "/openapi.json";
pub const HEALTH: &str = "/healthz";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_starts_with_its_prefix() {
        for path in [CREATE_API_KEY, DELETE_API_KEY, ROTATE_API_KEY, GET_API_KEY] {
            assert!(path.starts_with(KEY_MANAGEMENT) && path.starts_with(API), "{path}");
        }
        for path in [MEDIA_VIDEO, MEDIA_FILE, MEDIA_HLS_FILE] {
            assert!(path.starts_with(MEDIA), "{path}");
        }
        assert!(PAGE_OF_CONTENT.starts_with(PAGE) && EMBED_OF_CONTENT.starts_with(EMBED));
        assert!(SITEMAP_PART.starts_with(SITEMAP_PARTS) && SCRIPT.starts_with(SCRIPTS));
        for path in [SERVICE_CATEGORIES, SWEEP, SESSIONS, JOB_CLAIM, JOB_REQUEUE, MODERATION_QUEUE, MODERATION_HASHES] {
            assert!(path.starts_with(INTERNAL), "{path}");
        }
    }
}
