//! Whether a content has a job that an origin may work on.

/// The condition: the content is processing, or another thumbnail or other captions of the approved content are to be
/// made.
macro_rules! is_open_job {
    () => {
        "((state = 'processing' AND waits_for IS NULL)
             OR (state IN ('scheduled', 'published')
                 AND (thumbnail_change = 'pending' OR captions_change = 'pending')))"
    };
}
pub(super) use is_open_job;
