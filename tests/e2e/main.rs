//! The edge from end to end: the Worker in workerd, seen through the network and by its side effects. Nearly all tests
//! run at once on one stack.

mod keys {
    mod csrf;
    mod daily_changes;
    mod leaked;
    mod lifecycle;
    mod overlap;
    mod peppers;
    mod races;
    mod rate_limit;
    mod revocation;
    mod sessions;
    mod signed_in_owners;
    mod uniform_refusal;
    mod unknown_keys;
}

mod uploads {
    mod boundaries;
    mod captions;
    mod cost;
    mod crowd;
    mod daily_limit;
    mod direct;
    mod early_refusals;
    mod failed_requests;
    mod hostile_network;
    mod open_uploads;
    mod owner_data;
    mod real_clients;
    mod refusals;
    mod remaining_uploads;
    mod result;
    mod resumable;
    mod sent_captions;
    mod sent_thumbnails;
    mod slow_clients;
    mod status;
    mod takeover;
    mod test_mode;
    mod unknown_names;
    mod upload_token;
}

mod mistakes {
    mod new_user;
    mod other_clients;
    pub(crate) mod told;
    mod with_curl;
}

mod client {
    mod commands;
    mod kills;
    mod listening;
    mod memory;
    mod pieces;
    mod posting_once;
    mod terminal;
    mod verdicts;
    mod waiting;
}

mod description {
    mod fuzzing;
    mod generated_clients;
}

mod growth {
    mod rows;
    mod tour;
}

mod events {
    mod log;
}

mod privacy {
    mod deleted_words;
    mod erasure;
}

mod webhooks {
    mod crashes;
    mod delivery;
    mod described_events;
    mod documented_receivers;
    mod management;
}

mod jobs {
    mod fairness;
    mod lifecycle;
    mod origin_keys;
    mod queue_bridge {
        mod faults;
        mod messages;
        mod restart;
    }
    mod signatures;
    mod slow_bodies;
}

mod serving {
    mod access;
    mod cached;
    mod documentation;
    mod labels;
    mod media_files;
    mod pages;
    mod publication;
    mod races;
    mod sharing;
}

mod moderation {
    mod blocklist;
    mod content_search;
    mod decisions;
    mod desk;
    mod flags;
    mod incomplete_reports;
    mod long_blocklist;
    mod matches;
    pub(crate) mod operator_program;
    mod removed;
    mod review;
    mod staff;
    mod suspensions;
}

mod platform {
    mod answers;
    mod cacheability;
    mod compaction;
    mod crowded_video;
    mod https;
    mod multipart_errors;
    mod operations;
    mod outage;
    mod panics;
    mod restore;
    mod stalls;
    mod supervision;
    mod sweep;
    mod traces;
}

use std::process::ExitCode;
use tests::{StackSuite, every_answer_is_described, no_secret_is_left_behind, nothing_is_left_behind};

/// More than cores, because most tests wait for the network most of the time.
const THREADS: usize = 12;

fn main() -> anyhow::Result<ExitCode> {
    // The checks search everything that the tests have left behind.
    StackSuite::new("e2e", THREADS)?.run(&[
        |stack| Box::pin(nothing_is_left_behind(stack)),
        |stack| Box::pin(no_secret_is_left_behind(stack)),
        |stack| Box::pin(every_answer_is_described(stack)),
    ])
}
