//! A client that resumable uploads, and what it can find out.

use super::super::scene::{PART_BYTES, Scene};
use crate::base::ids::UploadUuid;
use crate::base::refusal::Refusal;
use crate::base::unix_seconds::UnixSeconds;
use crate::base::unknown_fields::UnknownFields;
use crate::people::failed_requests::KnownCaller;
use crate::platform::entropy::testing::Seeded;
use crate::platform::error::PlatformError;
use crate::testing::fake_platform::FakePlatform;
use crate::uploads::Permission;
use crate::uploads::direct::Grant;
use crate::uploads::names::{UploadNames, time_ordered_uuid};
use crate::uploads::resumable::{
    Announcement, Appended, Arrival, Created, Location, NewResumable, Outcome, Progress, append, create, look,
};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use contract::{ErrorCode, TraceContext};
use futures_executor::block_on;
use futures_util::{FutureExt, Stream, StreamExt, stream};

/// A client, and the file that it uploads.
#[derive(Clone)]
pub(in crate::uploads::tests) struct Client<'a> {
    pub scene: &'a Scene,
    pub file: Vec<u8>,
    /// The fields in `Upload-Metadata`.
    pub metadata: String,
    pub location: Location,
    pub seed: u64,
    /// The one-time token, if the client has no key.
    pub grant: Option<Grant>,
    /// The seconds that a chunk takes on its way.
    pub seconds_per_chunk: u64,
    /// The size of the parts that the service prefers.
    pub part_bytes: u64,
    /// Whether the client announces how much it sends.
    pub announces_length: bool,
}

impl<'a> Client<'a> {
    pub(in crate::uploads::tests) fn new(scene: &'a Scene, file: &[u8]) -> Self {
        Self::with_seed(scene, file, 1)
    }

    pub(in crate::uploads::tests) fn with_seed(scene: &'a Scene, file: &[u8], seed: u64) -> Self {
        let location = Location::generate(&mut Seeded::new(seed));
        let (file, metadata) = (file.to_vec(), String::new());
        Self {
            scene,
            file,
            metadata,
            location,
            seed,
            grant: None,
            seconds_per_chunk: 0,
            part_bytes: PART_BYTES as u64,
            announces_length: true,
        }
    }

    /// Adds a field.
    pub(in crate::uploads::tests) fn field(mut self, name: &str, text: &str) -> Self {
        let comma = if self.metadata.is_empty() { "" } else { "," };
        self.metadata.extend([comma, name, " ", &STANDARD.encode(text)]);
        self
    }

    fn permission(&self) -> Permission {
        match &self.grant {
            Some(grant) => Permission::DirectUpload(Box::new(grant.clone())),
            None => Permission::Key(self.scene.key.clone()),
        }
    }

    fn announcement(&self, length: u64) -> Result<Announcement, Refusal> {
        let announced = Announcement::read(length, &self.metadata, None, &UnknownFields::default())?;
        match &self.grant {
            Some(grant) => announced.restricted_by(&grant.rules),
            None => Ok(announced),
        }
    }

    pub(in crate::uploads::tests) async fn creating(&self, process: &FakePlatform) -> Result<Created, Refusal> {
        let length = self.file.len() as u64;
        let mut entropy = Seeded::new(self.seed);
        let new = NewResumable {
            permission: self.permission(),
            names: UploadNames::generate(&mut entropy, 1),
            tails_uuid: UploadUuid::new(time_ordered_uuid(&mut entropy, 1).to_string()),
            location: self.location.clone(),
            announcement: self.announcement(length)?,
            max_open_uploads: self.scene.max_open_uploads,
            seconds_to_finish: self.scene.seconds_to_finish,
            part_bytes: self.part_bytes,
            trace: TraceContext::begin([1; 24]),
            caller: KnownCaller::default(),
        };
        create(process, &new).await
    }

    pub(in crate::uploads::tests) fn create(&self) -> Result<Created, Refusal> {
        block_on(self.creating(&self.scene.world.process(None)))
    }

    /// Sends the file from this offset on, at most `bytes` of it. The connection breaks there if `breaks`.
    pub(in crate::uploads::tests) async fn appending(
        &self,
        process: &FakePlatform,
        offset: u64,
        bytes: usize,
        breaks: bool,
    ) -> Result<Appended, Refusal> {
        let rest = self.file.get(usize::try_from(offset).unwrap()..).unwrap_or_default();
        let sent = &rest[..bytes.min(rest.len())];
        let announced = if breaks { rest.len() } else { sent.len() };
        let end = breaks.then(|| Err(PlatformError::Failed("the connection broke".to_owned())));
        let chunks = sent.chunks(self.scene.chunk).map(|chunk| Ok(chunk.to_vec())).chain(end);
        let body = stream::iter(chunks.collect::<Vec<_>>()).inspect(|_| self.scene.world.pass(self.seconds_per_chunk));
        append(process, &self.scene.isolate, &self.arrival(offset, announced as u64), body).await
    }

    /// Sends these chunks as the rest of the file.
    pub(in crate::uploads::tests) async fn appending_stream(
        &self,
        process: &FakePlatform,
        offset: u64,
        body: impl Stream<Item = Result<Vec<u8>, PlatformError>>,
    ) -> Result<Appended, Refusal> {
        append(process, &self.scene.isolate, &self.arrival(offset, self.file.len() as u64 - offset), body).await
    }

    fn arrival(&self, offset: u64, announced: u64) -> Arrival {
        Arrival {
            location: self.location.clone(),
            offset,
            content_length: self.announces_length.then_some(announced),
            max_open_uploads: self.scene.max_open_uploads,
            pace: self.scene.pace,
            caller: KnownCaller::default(),
        }
    }

    /// Does the same; returns `None` if the process died on the way.
    pub(in crate::uploads::tests) fn append_by(
        &self,
        process: &FakePlatform,
        offset: u64,
        bytes: usize,
        breaks: bool,
    ) -> Option<Result<Appended, Refusal>> {
        self.appending(process, offset, bytes, breaks).now_or_never()
    }

    pub(in crate::uploads::tests) fn append(&self, offset: u64, bytes: usize) -> Result<Appended, Refusal> {
        self.append_by(&self.scene.world.process(None), offset, bytes, false).unwrap()
    }

    /// Sends this much, and loses the connection.
    pub(in crate::uploads::tests) fn break_off(&self, offset: u64, bytes: usize) -> Result<Appended, Refusal> {
        self.append_by(&self.scene.world.process(None), offset, bytes, true).unwrap()
    }

    /// Sends the rest of the file.
    pub(in crate::uploads::tests) fn finish(&self) -> Result<Appended, Refusal> {
        let progress = self.look()?;
        self.append(progress.received, usize::MAX)
    }

    pub(in crate::uploads::tests) fn look(&self) -> Result<Progress, Refusal> {
        block_on(look(&self.scene.world.database, &self.location, UnixSeconds(self.scene.world.now_unix.get())))
    }

    /// Returns the current offset of the upload.
    pub(in crate::uploads::tests) fn offset(&self) -> u64 {
        self.look().unwrap().received
    }

    /// Returns the code of the stored refusal, if there is one.
    pub(in crate::uploads::tests) fn refused_with(&self) -> Option<ErrorCode> {
        match self.look().unwrap().outcome {
            Outcome::Refused(refusal) => Some(refusal.into_refusal().code),
            _ => None,
        }
    }

    /// Whether the only source that is stored is the file.
    pub(in crate::uploads::tests) fn is_stored(&self) -> bool {
        let objects = self.scene.world.objects.borrow();
        let mut sources = objects.iter().filter(|(key, _)| key.starts_with("sources/"));
        sources.next().is_some_and(|(_, bytes)| *bytes == self.file) && sources.next().is_none()
    }
}

/// Changes the upload's row.
pub(super) fn change_row(scene: &Scene, set: &str) {
    scene.world.database.run_script(&format!("UPDATE resumable_uploads SET {set}"));
}

pub(super) fn code(outcome: Result<Appended, Refusal>) -> Option<ErrorCode> {
    outcome.err().map(|refusal| refusal.code)
}
