//! Uploads with one-time tokens: used once, by the newest upload, within the owner's rules, and dead with their key.

mod ends;
mod faults;
mod rules;
mod uploads;

use super::scene::{CHANNEL, Scene};
use crate::base::refusal::Refusal;
use crate::base::unix_seconds::UnixSeconds;
use crate::people::owner::Owner;
use crate::platform::entropy::testing::Seeded;
use crate::testing::fake_platform::FakePlatform;
use crate::uploads::direct::{self, DirectToken, Grant};
use crate::uploads::{AcceptedUpload, Permission, UploadRequest};
use contract::api::{CreateDirectUpload, DirectUploadState};
use fixtures::Form;
use futures_executor::block_on;
use futures_util::{FutureExt, stream};

/// A direct upload that the owner of the scene's channel has created.
struct Direct<'a> {
    scene: &'a Scene,
    uuid: String,
    token: DirectToken,
}

fn request() -> CreateDirectUpload {
    CreateDirectUpload { user_may_set: vec!["caption".to_owned()], ..CreateDirectUpload::default() }
}

fn create(scene: &Scene, seed: u64, request: CreateDirectUpload) -> Result<Direct<'_>, Refusal> {
    create_as(scene, &Owner::Key(scene.key.clone()), seed, request)
}

fn create_as<'a>(
    scene: &'a Scene,
    owner: &Owner,
    seed: u64,
    request: CreateDirectUpload,
) -> Result<Direct<'a>, Refusal> {
    let (uuid, token) = (format!("direct-{seed}"), DirectToken::generate(&mut Seeded::new(seed)));
    let now = UnixSeconds(scene.world.now_unix.get());
    block_on(direct::mint(&scene.world.database, (owner, CHANNEL), (&uuid, &token), request, now))?;
    Ok(Direct { scene, uuid, token })
}

impl<'a> Direct<'a> {
    fn new(scene: &'a Scene) -> Self {
        create(scene, 1, request()).unwrap()
    }

    fn now(&self) -> UnixSeconds {
        UnixSeconds(self.scene.world.now_unix.get())
    }

    fn find(&self) -> Option<Grant> {
        block_on(direct::find(&self.scene.world.database, &self.token.hash(), self.now())).unwrap()
    }

    fn grant(&self) -> Grant {
        self.find().unwrap()
    }

    fn state(&self) -> DirectUploadState {
        self.grant().state
    }

    fn request(&self, seed: u64, length: u64) -> UploadRequest {
        let grant = self.grant();
        UploadRequest {
            owner_fields: Some(Box::new(grant.rules.owner_fields().unwrap())),
            permission: Permission::DirectUpload(Box::new(grant)),
            ..self.scene.request(seed, Some(length))
        }
    }

    /// Returns an upload with the token as a future.
    async fn uploading(&self, process: &FakePlatform, seed: u64, form: Form) -> Result<AcceptedUpload, Refusal> {
        let body = form.body();
        let request = self.request(seed, body.len() as u64);
        let chunks: Vec<_> = body.chunks(self.scene.chunk).map(|chunk| Ok(chunk.to_vec())).collect();
        self.scene.run(process, request, stream::iter(chunks)).await
    }

    /// Returns `None` if the process died.
    fn upload_by(&self, process: &FakePlatform, seed: u64, form: Form) -> Option<Result<AcceptedUpload, Refusal>> {
        self.uploading(process, seed, form).now_or_never()
    }

    fn upload(&self, seed: u64, form: Form) -> Result<AcceptedUpload, Refusal> {
        self.upload_by(&self.scene.world.process(None), seed, form).unwrap()
    }

    fn revoke(&self) -> Option<DirectUploadState> {
        block_on(direct::revoke(&self.scene.world.database, CHANNEL, &self.uuid, self.now())).unwrap()
    }

    fn events(&self) -> String {
        self.scene.text("SELECT coalesce(group_concat(type || data), '') AS text FROM events WHERE type LIKE 'direct%'")
    }
}

fn code<T>(refused: Result<T, Refusal>) -> Option<&'static str> {
    refused.err().map(|refusal| refusal.code.as_str())
}
