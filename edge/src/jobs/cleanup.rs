//! What of a content's objects may go. The rule is one function; the sweep follows it.
//!
//! Nothing alive is ever touched, however the sweep and the origins interleave: a state keeps whatever a state that it
//! can still reach needs, and files of a generation that the sweep does not know yet are not looked at.

use crate::database::{Database, DatabaseError, Statement};
use crate::platform::{LIST_LENGTH, ObjectStore, Platform};
use crate::sweep::{SweepError, rows, source_keys};
use contract::{ContentState, ObjectKey};
use serde::Deserialize;

/// An origin that was overtaken learns it with its next sign of life; by now, its last writing has arrived too.
pub const REST_SECONDS: u64 = 3600;

/// What of a content's objects is still needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kept {
    /// The upload as it came.
    pub source: bool,
    /// The files of that generation's job.
    pub generation: Option<u64>,
}

/// The rule. A source is needed as long as a job can still be made of it; what a job makes, while it is made or waits
/// for its approval, and while it is shown or will be. What was refused, taken down or deleted leaves nothing.
pub fn kept(state: ContentState, generation: u64, media_generation: Option<u64>) -> Kept {
    match state {
        ContentState::Processing => Kept {
            source: true,
            generation: Some(generation),
        },
        ContentState::Failed => Kept {
            source: true,
            generation: None,
        },
        ContentState::Scheduled | ContentState::Published => Kept {
            source: false,
            generation: media_generation,
        },
        ContentState::Rejected | ContentState::TakenDown | ContentState::Deleted => Kept {
            source: false,
            generation: None,
        },
    }
}

#[derive(Deserialize)]
struct Content {
    id: u64,
    uuid: String,
    upload_uuid: String,
    state: ContentState,
    generation: u64,
    media_generation: Option<u64>,
    noticed_at_unix: u64,
}

impl Content {
    /// Its objects that may go, and whether these are all.
    async fn rest<P: Platform>(&self, platform: &P) -> Result<(Vec<String>, bool), SweepError> {
        let kept = kept(self.state, self.generation, self.media_generation);
        let folder = ObjectKey::media_folder(&self.uuid);
        let mut rest = platform.objects().list(&folder).await?;
        let is_whole = rest.len() < LIST_LENGTH;
        rest.retain(|key| self.is_rest(key, kept));
        if !kept.source {
            rest.extend(source_keys(&self.upload_uuid));
        }
        Ok((rest, is_whole))
    }

    /// Whether an object of the content may go. What is newer than what was read is somebody else's.
    fn is_rest(&self, key: &str, kept: Kept) -> bool {
        let generation = ObjectKey::media_generation(key, &self.uuid);
        generation.is_some_and(|one| one <= self.generation && Some(one) != kept.generation)
    }
}

/// Removes what is not kept of the contents that changed, once they have rested; returns how many there were.
pub async fn clean_up<P: Platform>(platform: &P, at_most: u32) -> Result<u64, SweepError> {
    let contents: Vec<Content> = rows(platform, due(platform.now_unix(), at_most)).await?;
    let (mut rest, mut done) = (Vec::new(), Vec::new());
    for content in &contents {
        let (found, is_whole) = content.rest(platform).await?;
        rest.extend(found);
        // What was not listed, the next run lists.
        if is_whole {
            done.push((content.id, content.noticed_at_unix));
        }
    }
    for keys in rest.chunks(LIST_LENGTH) {
        platform.objects().delete(keys).await?;
    }
    forget(platform.database(), &done).await?;
    Ok(contents.len() as u64)
}

/// Notices what changed, and reads what has rested since.
fn due(now_unix: u64, at_most: u32) -> Vec<Statement> {
    let notice =
        Statement::new("UPDATE cleanups SET noticed_at_unix = ?1 WHERE noticed_at_unix IS NULL");
    let read = Statement::new(
        "SELECT contents.id, contents.uuid, uploads.uuid AS upload_uuid, contents.state, contents.generation,
             media_generation, noticed_at_unix
         FROM cleanups JOIN contents ON contents.id = content_id JOIN uploads ON uploads.id = upload_id
         WHERE noticed_at_unix <= ?1 - ?2 ORDER BY noticed_at_unix LIMIT ?3",
    );
    vec![
        notice.bind(now_unix),
        read.bind(now_unix).bind(REST_SECONDS).bind(at_most),
    ]
}

/// Unless they changed again meanwhile.
async fn forget(database: &impl Database, done: &[(u64, u64)]) -> Result<(), SweepError> {
    if done.is_empty() {
        return Ok(());
    }
    let done =
        serde_json::to_string(done).map_err(|error| DatabaseError::Shape(error.to_string()))?;
    let forget = Statement::new(
        "DELETE FROM cleanups WHERE (content_id, noticed_at_unix) IN
             (SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]') FROM json_each(?1))",
    );
    database.batch(vec![forget.bind(done)]).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::{Event, STEPS};

    /// What a step makes of the generations: a retry begins a new one, an approval shows the current one.
    fn after(event: Event, generation: u64, media: Option<u64>) -> (u64, Option<u64>) {
        match event {
            Event::Retried => (generation + 1, None),
            Event::Approved | Event::ApprovedForLater => (generation, Some(generation)),
            _ => (generation, media),
        }
    }

    #[test]
    fn no_step_needs_what_the_state_before_it_gave_up() {
        for (from, event, to) in STEPS {
            let (generation, media) = (3, Some(3));
            let before = kept(*from, generation, media);
            let (generation, media) = after(*event, generation, media);
            let needed = kept(*to, generation, media);
            assert!(before.source || !needed.source, "{from:?} {event:?}");
            let is_there = |one| before.generation == Some(one) || one > 3;
            assert!(needed.generation.is_none_or(is_there), "{from:?} {event:?}");
        }
    }

    #[test]
    fn only_what_can_be_public_keeps_its_files_for_good() {
        for state in ContentState::ALL {
            let kept = kept(*state, 2, Some(2));
            let is_shown = matches!(state, ContentState::Scheduled | ContentState::Published);
            let is_made = *state == ContentState::Processing;
            assert_eq!(kept.generation.is_some(), is_shown || is_made, "{state:?}");
        }
    }

    #[test]
    fn a_generation_that_was_not_there_yet_is_left_alone() {
        let content = Content {
            id: 1,
            uuid: "c".to_owned(),
            upload_uuid: "u".to_owned(),
            state: ContentState::Failed,
            generation: 2,
            media_generation: None,
            noticed_at_unix: 0,
        };
        let kept = kept(content.state, 2, None);
        assert!(content.is_rest("media/c/1/video.mp4", kept));
        assert!(content.is_rest("media/c/2/video.mp4", kept));
        for other in [
            "media/c/3/video.mp4",
            "media/d/1/video.mp4",
            "sources/u/video",
        ] {
            assert!(!content.is_rest(other, kept), "{other}");
        }
    }
}
