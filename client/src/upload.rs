//! Uploads a file once: whatever was interrupted before, the service gets one token for it, and posts it once.

use crate::answers::UploadAnswer;
use crate::api::Client;
use crate::error::ClientError;
use crate::fields::UploadFields;
use crate::file::JudgedFile;
use crate::tokens::{LockedRecord, RecordId, StoreError, TokenStore, UploadRecord, UploadState};
use contract::ErrorCode;

/// A file and how to post it.
#[derive(Clone, Copy, Debug)]
pub struct UploadPlan<'a> {
    pub file: &'a JudgedFile,
    pub fields: &'a UploadFields,
    /// Whether to post it once more if it has been posted already.
    pub is_again: bool,
}

/// The outcome of an upload.
#[derive(Clone, Debug, PartialEq)]
pub enum UploadOutcome {
    /// The service has the video, from this attempt or from an earlier one whose answer was lost.
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
/// the number of bytes that were sent; the number begins again with each attempt.
pub async fn upload_once(
    client: &Client,
    store: &TokenStore,
    plan: &UploadPlan<'_>,
    progress: &(dyn Fn(u64) + Send + Sync),
) -> Result<UploadOutcome, ClientError> {
    let id = RecordId::new(client.service(), client.key(), plan.file.sha256());
    let record = store.lock(&id).await?;
    let token = match next_step(record.read()?, plan)? {
        NextStep::Send(token) => token,
        NextStep::Stop(outcome) => return Ok(outcome),
    };
    record.write(&UploadRecord { token: token.clone(), state: UploadState::Pending })?;
    let answer = client.upload_video(plan.file, plan.fields, &token, progress).await;
    settle(&record, token, plan, answer)
}

#[derive(Debug, PartialEq)]
enum NextStep {
    /// Send the file with this token.
    Send(String),
    Stop(UploadOutcome),
}

/// Decides what a record means for a new run. A pending token is always sent again, even if the user asks for another
/// upload: the first one has not ended.
fn next_step(known: Option<UploadRecord>, plan: &UploadPlan<'_>) -> Result<NextStep, StoreError> {
    let fresh = || Ok(NextStep::Send(UploadRecord::fresh()?.token));
    let Some(UploadRecord { token, state }) = known else {
        let first = || Ok(NextStep::Send(UploadRecord::first(plan.file.sha256()).token));
        return if plan.is_again { fresh() } else { first() };
    };
    match state {
        UploadState::Pending => Ok(NextStep::Send(token)),
        _ if plan.is_again => fresh(),
        UploadState::Uploaded { content_uuid, fields_sha256 } => {
            let has_same_fields = fields_sha256 == plan.fields.fingerprint();
            Ok(NextStep::Stop(UploadOutcome::AlreadyUploaded { content_uuid, has_same_fields }))
        }
        // The service says again what is the matter.
        UploadState::Spent => Ok(NextStep::Send(token)),
    }
}

/// Keeps the outcome.
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
    record.write(&UploadRecord { token, state })?;
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
        next_step(known, &UploadPlan { file: &file, fields: &UploadFields::default(), is_again }).unwrap()
    }

    fn record(state: UploadState) -> UploadRecord {
        UploadRecord { token: "kept".into(), state }
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
