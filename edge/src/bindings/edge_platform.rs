//! The platform that intake and sweep run on in the Worker.

use super::app::App;
use super::cost::Cost;
use super::d1::D1;
use super::digest::RuntimeDigest;
use super::jobs::Jobs;
use super::r2::R2;
use crate::error::ApiError;
use crate::platform::Platform;
use worker::Env;

pub struct EdgePlatform {
    database: D1,
    objects: R2,
    jobs: Jobs,
    app: App,
}

impl EdgePlatform {
    pub fn open(app: &App, env: &Env, cost: Cost) -> Result<Self, ApiError> {
        Ok(Self {
            database: app.database()?,
            objects: R2::open(env, cost),
            jobs: Jobs::open(env),
            app: app.clone(),
        })
    }
}

impl Platform for EdgePlatform {
    type Database = D1;
    type Objects = R2;
    type Digest = RuntimeDigest;
    type Jobs = Jobs;

    fn database(&self) -> &D1 {
        &self.database
    }

    fn objects(&self) -> &R2 {
        &self.objects
    }

    fn jobs(&self) -> &Jobs {
        &self.jobs
    }

    fn digest(&self) -> RuntimeDigest {
        RuntimeDigest::new()
    }

    fn now_unix(&self) -> u64 {
        self.app.now_unix()
    }
}
