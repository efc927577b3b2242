//! Whole uploads on real SQLite and a fake platform that can fail at every operation.

mod captions;
mod crash_matrix;
mod direct;
mod form_errors;
mod interleavings;
mod key_changes;
mod metadata;
mod open_uploads;
mod pace;
mod refusals;
mod replays;
mod resumable;
mod scene;
mod streaming;
mod suspensions;
mod sweeping;
mod takeover;
mod test_uploads;
