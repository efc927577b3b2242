//! The handlers, one file per resource: each reads the request, calls the core, and answers. The table of routes has a
//! line for each route and its operation in the OpenAPI document.

pub(super) mod accounts;
pub(super) mod api_keys;
pub(super) mod appeals;
pub(super) mod blocklist;
pub(super) mod cases;
pub(super) mod categories;
pub(super) mod channel_moderation;
pub(super) mod console;
pub(super) mod content_search;
pub(super) mod contents;
pub(super) mod desk;
#[cfg(feature = "development")]
pub(super) mod development;
pub(super) mod direct_upload;
pub(super) mod direct_uploads;
pub(super) mod docs;
pub(super) mod events;
pub(super) mod failed_requests;
pub(super) mod flags;
pub(super) mod fsck;
pub(super) mod health;
pub(super) mod jobs;
pub(super) mod leaked_keys;
pub(super) mod matches;
pub(super) mod media;
pub(super) mod moderation;
pub(super) mod oembed;
pub(super) mod openapi;
pub(super) mod operations;
pub(super) mod origin_keys;
pub(super) mod page;
pub(super) mod resumable_uploads;
pub(super) mod review;
pub(super) mod sessions;
pub(super) mod site;
mod small_form;
pub(super) mod staff;
mod static_page;
pub(super) mod sweep;
pub(super) mod update_captions;
pub(super) mod update_content;
pub(super) mod update_thumbnail;
pub(super) mod upload_limits;
pub(super) mod upload_video;
pub(super) mod uploads;
pub(super) mod webhooks;

use super::host_role::HostRoles;
use super::route::{Route, delete, get, options, patch, post, put};
use contract::paths;

/// Declares the table of routes. A line has a method, a path of `contract::paths` and a handler, whose `utoipa::path`
/// attribute describes the operation. If another function handles it, its name follows after `by`.
macro_rules! route_table {
    (
        $(document $Document:ident {
            $($roles:ident { $($method:ident $path:ident $module:ident::$name:ident $(by $handler:ident)?;)* })*
        })*
        undocumented {
            $($more_roles:ident { $($more_method:ident $more_path:ident $more_module:ident::$more_handler:ident;)* })*
        }
    ) => {
        /// Returns the whole route table.
        pub(in crate::http) fn table() -> Vec<Route> {
            let parts = [
                $($(vec![$(
                    Route::new(HostRoles::$roles, paths::$path, $method(handler!($module $name $($handler)?))),
                )*],)*)*
                $(vec![$(
                    Route::new(
                        HostRoles::$more_roles,
                        paths::$more_path,
                        $more_method($more_module::$more_handler),
                    ),
                )*],)*
                #[cfg(feature = "development")]
                development_routes(),
            ];
            parts.into_iter().flatten().collect()
        }

        /// The documented paths, and the hosts that serve them.
        pub(in crate::http) const ADDRESSES: &[(HostRoles, &str)] = &[$($($((HostRoles::$roles, paths::$path),)*)*)*];

        $(
            /// The operations of a document.
            #[cfg(not(target_arch = "wasm32"))]
            #[derive(utoipa::OpenApi)]
            #[openapi(paths($($($module::$name,)*)*))]
            pub(in crate::http) struct $Document;
        )*
    };
}

macro_rules! handler {
    ($module:ident $handler:ident) => {
        $module::$handler
    };
    ($module:ident $name:ident $handler:ident) => {
        $module::$handler
    };
}

route_table! {
    document PublicOperations {
        // Every host serves these.
        ALL {
            get HEALTH health::get_health;
            get OPENAPI openapi::get_openapi;
        }
        // Key management, which pages of the site call.
        BASE {
            post CREATE_API_KEY api_keys::create_api_key;
            post DELETE_API_KEY api_keys::delete_api_key;
            post ROTATE_API_KEY api_keys::rotate_api_key;
            get GET_API_KEY api_keys::get_api_key;
            post GET_API_KEY api_keys::get_api_key_by_post by get_api_key;
        }
        // Programs with an API key.
        UPLOAD {
            post UPLOAD_VIDEO upload_video::upload_video;
            post RESUMABLE_UPLOADS resumable_uploads::create_resumable_upload;
            get RESUMABLE_UPLOAD resumable_uploads::get_resumable_upload;
            patch RESUMABLE_UPLOAD resumable_uploads::append_to_resumable_upload;
            delete RESUMABLE_UPLOAD resumable_uploads::end_resumable_upload;
            post REPORT_LEAKED_KEY leaked_keys::report_leaked_key;
        }
        // Programs with an API key, and pages of the site with its owner's session.
        OWNER {
            get CATEGORIES categories::list_categories;
            post DIRECT_UPLOADS direct_uploads::create_direct_upload;
            get DIRECT_UPLOADS direct_uploads::list_direct_uploads;
            get DIRECT_UPLOAD_BY_ID direct_uploads::get_direct_upload;
            delete DIRECT_UPLOAD_BY_ID direct_uploads::revoke_direct_upload;
            get UPLOAD_LIMITS upload_limits::get_upload_limits;
            get UPLOAD_STATUS uploads::get_upload_status;
            get UPLOADS uploads::list_uploads;
            post DELETE_CONTENT contents::delete_content;
            post UPDATE_CONTENT update_content::update_content;
            post UPDATE_THUMBNAIL update_thumbnail::update_thumbnail;
            post UPDATE_CAPTIONS update_captions::update_captions;
            post DELETE_CAPTIONS update_captions::delete_captions;
            get EVENTS events::list_channel_events;
            get FAILED_REQUESTS failed_requests::list_failed_requests;
            get WEBHOOKS webhooks::list_webhooks;
            post CREATE_WEBHOOK webhooks::create_webhook;
            post UPDATE_WEBHOOK webhooks::update_webhook;
            post DELETE_WEBHOOK webhooks::delete_webhook;
            post ROTATE_WEBHOOK_SECRET webhooks::rotate_webhook_secret;
            post TEST_WEBHOOK webhooks::test_webhook;
            get WEBHOOK_DELIVERIES webhooks::list_webhook_deliveries;
            post SEND_EVENTS_AGAIN webhooks::send_events_again;
            post RESCHEDULE_CONTENT contents::reschedule_content;
            post RELEASE_CONTENT contents::release_content;
            post APPEAL_CONTENT contents::appeal_content;
        }
        // Devices of users, with a one-time token.
        UPLOAD {
            post DIRECT_UPLOAD direct_upload::upload_directly;
            get DIRECT_UPLOAD direct_upload::get_direct_upload_status;
            post RESUMABLE_DIRECT_UPLOAD direct_upload::create_resumable_direct_upload;
        }
        // The pages and files of the public website.
        SITE {
            get MEDIA_VIDEO media::get_video;
            get MEDIA_FILE media::get_media_file;
            get MEDIA_HLS_FILE media::get_hls_file;
            get PAGE_OF_CONTENT page::get_page;
            get EMBED_OF_CONTENT page::get_embed;
            get OEMBED oembed::get_oembed;
            post REPORT_PAGE flags::report_page;
            get REPORT_PAGE flags::get_report;
            get FRONT_PAGE site::get_front_page;
            get ROBOTS site::get_robots;
            get SITEMAP site::get_sitemap;
            get SITEMAP_PART site::get_sitemap_part;
            get SCRIPT site::get_script;
            get ICON site::get_icon;
            get OLD_ICON site::get_old_icon;
        }
    }
    document InternalOperations {
        // The site's back end.
        BASE {
            post SESSIONS sessions::mint_session;
            delete SESSIONS sessions::end_session;
            put SERVICE_CATEGORIES categories::set_categories;
            post SWEEP sweep::run_sweep;
        }
        // Origins, and the media team, which sees and repeats failed jobs.
        BASE {
            post JOB_CLAIM jobs::claim_job;
            post JOB_PROGRESS jobs::note_progress;
            post JOB_RELEASE jobs::release_job;
            post JOB_REPORT jobs::report_job;
            post JOB_REQUEUE jobs::requeue_job;
            get DEAD_LETTERS jobs::list_dead_letters;
            post DEAD_LETTER_DROP jobs::drop_dead_letter;
        }
        // Moderators.
        BASE {
            get MODERATION_QUEUE moderation::list_queue;
            get MODERATION_CONTENTS content_search::find_contents;
            post MODERATION_APPROVE moderation::approve_content;
            post MODERATION_REJECT moderation::reject_content;
            post MODERATION_TAKE_DOWN moderation::take_down_content;
            post MODERATION_RESTORE moderation::restore_content;
            post MODERATION_LABEL moderation::label_content;
            post MODERATION_SUSPEND channel_moderation::suspend_channel;
            post MODERATION_LIFT_SUSPENSION channel_moderation::lift_channel_suspension;
            post MODERATION_TAKE_DOWN_CHANNEL channel_moderation::take_down_channel;
            get MODERATION_FLAGGED flags::list_flagged;
            post MODERATION_DISMISS flags::dismiss_flag;
            get MODERATION_FILE review::get_review_file;
            get MODERATION_CASE cases::get_case;
            get MODERATION_GROUPS matches::list_groups;
            get MODERATION_MATCHES matches::list_matches;
            get MODERATION_FRAME matches::get_frame;
            get MODERATION_APPEALS appeals::list_appeals;
            post MODERATION_REJECT_APPEAL moderation::reject_appeal;
            post MODERATION_CLAIM cases::claim_content;
            post MODERATION_RELEASE_CLAIM cases::release_claim;
            get MODERATION_POLICIES cases::list_policies;
            put MODERATION_POLICIES cases::set_policies;
            get DESK_ACCOUNT desk::get_desk_account;
            post DESK_SIGN_IN desk::sign_in;
            post DESK_SIGN_OUT desk::sign_out;
            get MODERATION_EVIDENCE review::list_evidence;
            get MODERATION_DECISIONS moderation::list_decisions;
            get MODERATION_STATISTICS moderation::get_statistics;
            get MODERATION_HASHES blocklist::list_hashes;
            post MODERATION_HASHES blocklist::block_hash;
            delete MODERATION_HASHES blocklist::unblock_hash;
            post MODERATION_HASH_IMPORT blocklist::import_hashes;
            get MODERATION_HASH_EXPORT blocklist::export_hashes;
        }
        // Monitoring.
        BASE {
            get METRICS operations::get_metrics;
            get SERVICE_HEALTH operations::get_service_health;
            post FSCK fsck::run_fsck;
        }
        // Tokens, the keys of origins, accounts, and the trail.
        BASE {
            post TOKENS staff::create_token;
            get TOKENS staff::list_tokens;
            delete TOKENS staff::end_token;
            post ORIGIN_KEYS origin_keys::create_origin_key;
            get ORIGIN_KEYS origin_keys::list_origin_keys;
            delete ORIGIN_KEYS origin_keys::end_origin_key;
            post ERASE_ACCOUNT accounts::erase_account;
            get EXPORT_ACCOUNT accounts::export_account;
            get TRAIL staff::list_trail;
            get TRAIL_EXPORT staff::export_trail;
        }
    }
    undocumented {
        // The desk, a page for moderators, which calls their routes.
        BASE {
            get DESK desk::get_desk;
            get DESK_FILE desk::get_desk_file;
        }
        // A page of the site for owners, which calls the routes of owners.
        BASE {
            get CONSOLE console::get_console;
            get CONSOLE_SETTINGS console::get_console_settings;
            get CONSOLE_FILE console::get_console_file;
        }
        // The documentation of the routes.
        SITE {
            get DOCS docs::get_docs;
            get DOCS_FILE docs::get_docs_file;
        }
        // tus clients ask for the extensions of the protocol that the service supports.
        UPLOAD {
            options RESUMABLE_UPLOADS resumable_uploads::describe_protocol;
            options RESUMABLE_UPLOAD direct_upload::allow_pages;
            options RESUMABLE_DIRECT_UPLOAD direct_upload::allow_pages;
            options DIRECT_UPLOAD direct_upload::allow_pages;
        }
        // Cross-origin requests of players.
        SITE {
            options MEDIA_VIDEO media::allow_players;
            options MEDIA_FILE media::allow_players;
            options MEDIA_HLS_FILE media::allow_players;
        }
    }
}

/// Returns the routes that only tests call.
#[cfg(feature = "development")]
fn development_routes() -> Vec<Route> {
    let route = |path, operation| Route::new(HostRoles::ALL, path, operation);
    vec![
        route(development::PANIC, get(development::panic)),
        route(development::SLOW, get(development::slow)),
        route(development::CHANGE, post(development::change)),
        route(development::STALL, post(development::stall)),
        route(development::END_TWICE, post(development::end_twice)),
    ]
}
