-- How many keys, changes of webhooks, and changes of videos a channel made on a day. Each of them leaves rows that are
-- kept for long, or starts a job, so each kind has a daily limit (`contract/src/limits.rs`).
ALTER TABLE daily_usage ADD COLUMN new_keys INTEGER NOT NULL DEFAULT 0;
ALTER TABLE daily_usage ADD COLUMN webhook_changes INTEGER NOT NULL DEFAULT 0;
ALTER TABLE daily_usage ADD COLUMN content_changes INTEGER NOT NULL DEFAULT 0;
