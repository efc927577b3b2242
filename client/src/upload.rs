//! Uploads a file once: every attempt sends the same token, so the service posts the file once.

use crate::answers::UploadAnswer;
use crate::api::Client;
use crate::error::ClientError;
use crate::fields::UploadFields;
use crate::file::JudgedFile;
use crate::pieces::{PIECES_FROM_BYTES, PiecewiseUpload};
use crate::tokens::{LockedRecord, RecordId, StoreError, TokenStore, UploadRecord, UploadState};
use contract::ErrorCode;
use contract::api::UploadRules;

/// A file and how to post it.
#[derive(Clone, Copy, Debug)]
pub struct UploadPlan<'a> {
    pub file: &'a JudgedFile,
    pub fields: &'a UploadFields,
    /// Whether to post it as a new video if it was already posted.
    pub is_again: bool,
    /// The limits of the service, which decide whether the file is sent in pieces.
    pub rules: &'a UploadRules,
}

impl UploadPlan<'_> {
    /// Whether to send the file in pieces. A picture and captions can be sent with a form only. So a file with a
    /// picture or captions is sent as a form unless it is too large for one.
    fn is_in_pieces(&self) -> bool {
        let has_files = self.fields.thumbnail.is_some() || !self.fields.captions.is_empty();
        let form_bytes = if has_files { self.rules.max_file_bytes } else { PIECES_FROM_BYTES };
        self.rules.max_resumable_bytes > 0 && self.file.length() > form_bytes
    }
}

/// The outcome of an upload.
#[derive(Clone, Debug, PartialEq)]
pub enum UploadOutcome {
    /// The service has the video, from this attempt or from an earlier attempt whose response was lost.
    Uploaded(Box<UploadAnswer>),
    /// An earlier run had uploaded the file. Nothing was sent.
    AlreadyUploaded {
        content_uuid: String,
        /// Whether it was uploaded with the same fields.
        has_same_fields: bool,
    },
}

impl UploadOutcome {
    pub fn content_uuid(&self) -> &str {
        match self {
            Self::Uploaded(answer) => &answer.content_uuid,
            Self::AlreadyUploaded { content_uuid, .. } => content_uuid,
        }
    }
}

/// Posts the file unless it has been posted. Waits while another program posts the same file. `progress` is called with
/// the number of bytes that were sent; it restarts with each attempt.
pub async fn upload_once(
    client: &Client,
    store: &TokenStore,
    plan: &UploadPlan<'_>,
    progress: &(dyn Fn(u64) + Send + Sync),
) -> Result<UploadOutcome, ClientError> {
    let mut id = RecordId::new(client.service(), client.key(), plan.file.sha256());
    if plan.fields.test.is_some() {
        id = id.of_tests();
    }
    let record = store.lock(&id).await?;
    let known = record.read()?;
    let begun = known.clone().filter(|known| known.state == UploadState::Pending).and_then(|known| known.location);
    let token = match next_step(known, plan)? {
        NextStep::Send(token) => token,
        NextStep::Stop(outcome) => return Ok(outcome),
    };
    record.write(&UploadRecord { token: token.clone(), state: UploadState::Pending, location: begun.clone() })?;
    let answer = if plan.is_in_pieces() {
        let upload = PiecewiseUpload { file: plan.file, fields: plan.fields, token: &token, record: &record };
        in_pieces(client, &upload, begun, progress).await
    } else {
        client.upload_video(plan.file, plan.fields, &token, progress).await
    };
    settle(&record, token, plan, answer)
}

/// Uploads the file in pieces, then the picture and captions. The record stays pending until all of them are sent, so
/// an interrupted run is repeated.
async fn in_pieces(
    client: &Client,
    upload: &PiecewiseUpload<'_>,
    begun: Option<String>,
    progress: &(dyn Fn(u64) + Send + Sync),
) -> Result<UploadAnswer, ClientError> {
    let answer = client.upload_in_pieces(upload, begun, progress).await?;
    if upload.fields.test.is_some() {
        // A test video cannot be changed.
        return Ok(answer);
    }
    if let Some(picture) = &upload.fields.thumbnail {
        client.update_thumbnail(&answer.content_uuid, picture).await?;
    }
    for (language, file) in &upload.fields.captions {
        client.update_captions(&answer.content_uuid, language, file).await?;
    }
    Ok(answer)
}

#[derive(Debug, PartialEq)]
enum NextStep {
    /// Send the file with this token.
    Send(String),
    Stop(UploadOutcome),
}

/// Decides the next step from the record of earlier runs. A pending token is always sent again, even if the user asks
/// for a new video: the first upload has not ended.
fn next_step(known: Option<UploadRecord>, plan: &UploadPlan<'_>) -> Result<NextStep, StoreError> {
    // Each test makes a new test video.
    let is_again = plan.is_again || plan.fields.test.is_some();
    let fresh = || Ok(NextStep::Send(UploadRecord::fresh()?.token));
    let Some(UploadRecord { token, state, .. }) = known else {
        let first = || Ok(NextStep::Send(UploadRecord::first(plan.file.sha256()).token));
        return if is_again { fresh() } else { first() };
    };
    match state {
        UploadState::Pending => Ok(NextStep::Send(token)),
        _ if is_again => fresh(),
        UploadState::Uploaded { content_uuid, fields_sha256 } => {
            let has_same_fields = fields_sha256 == plan.fields.fingerprint();
            Ok(NextStep::Stop(UploadOutcome::AlreadyUploaded { content_uuid, has_same_fields }))
        }
        // The service will report the problem again.
        UploadState::Spent => Ok(NextStep::Send(token)),
    }
}

/// Records the outcome.
fn settle(
    record: &LockedRecord,
    token: String,
    plan: &UploadPlan<'_>,
    answer: Result<UploadAnswer, ClientError>,
) -> Result<UploadOutcome, ClientError> {
    let state = match &answer {
        Ok(answer) => UploadState::Uploaded {
            content_uuid: answer.content_uuid.clone(),
            fields_sha256: plan.fields.fingerprint(),
        },
        Err(error) if is_spent(error) => UploadState::Spent,
        Err(_) => UploadState::Pending,
    };
    let location = match &state {
        UploadState::Pending => record.read()?.and_then(|record| record.location),
        UploadState::Uploaded { .. } | UploadState::Spent => None,
    };
    record.write(&UploadRecord { token, state, location })?;
    answer.map(|answer| UploadOutcome::Uploaded(Box::new(answer)))
}

/// Whether the token belongs to another video for good.
fn is_spent(error: &ClientError) -> bool {
    let codes = [ErrorCode::UploadTokenMismatch, ErrorCode::UploadTokenSpent];
    error.refusal().is_some_and(|refusal| codes.iter().any(|code| refusal.is(*code)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(known: Option<UploadRecord>, is_again: bool) -> NextStep {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        std::io::Write::write_all(&mut file, b"x").unwrap();
        let file = JudgedFile::read(file.path(), 10, &|_| {}).unwrap();
        let rules = UploadRules::new(10, 1, 1);
        next_step(known, &UploadPlan { file: &file, fields: &UploadFields::default(), is_again, rules: &rules })
            .unwrap()
    }

    fn record(state: UploadState) -> UploadRecord {
        UploadRecord { token: "kept".into(), state, location: None }
    }

    fn uploaded(fields: &UploadFields) -> UploadState {
        UploadState::Uploaded { content_uuid: "c".into(), fields_sha256: fields.fingerprint() }
    }

    #[test]
    fn an_unfinished_upload_keeps_its_token_even_if_another_one_is_wanted() {
        for is_again in [false, true] {
            assert_eq!(step(Some(record(UploadState::Pending)), is_again), NextStep::Send("kept".into()));
        }
    }

    #[test]
    fn an_unknown_file_gets_the_token_of_its_content() {
        let first = step(None, false);
        assert_eq!(first, step(None, false));
        assert_ne!(first, step(None, true));
    }

    #[test]
    fn a_finished_upload_is_sent_again_only_on_request() {
        let same = UploadFields::default();
        let other = UploadFields { caption: Some("x".into()), ..UploadFields::default() };
        for (fields, has_same_fields) in [(&same, true), (&other, false)] {
            let outcome = UploadOutcome::AlreadyUploaded { content_uuid: "c".into(), has_same_fields };
            assert_eq!(step(Some(record(uploaded(fields))), false), NextStep::Stop(outcome));
        }
        for state in [uploaded(&same), UploadState::Spent] {
            assert!(matches!(step(Some(record(state)), true), NextStep::Send(token) if token != "kept"));
        }
        assert_eq!(step(Some(record(UploadState::Spent)), false), NextStep::Send("kept".into()));
    }
}
