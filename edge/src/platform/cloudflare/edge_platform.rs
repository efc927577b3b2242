//! The `Platform` of uploads, the sweep and webhooks in the Worker.

use super::cost::Cost;
use super::d1::D1;
use super::digest::RuntimeDigest;
use super::edge_cache::PlatformCache;
use super::jobs::Jobs;
use super::r2::R2;
use super::webhooks::PlatformWebhooks;
use crate::platform::Platform;
use std::time::Duration;
use worker::{Date, Delay, Env};

pub(crate) struct EdgePlatform {
    database: D1,
    objects: R2,
    jobs: Jobs,
    completions: Option<Jobs>,
    cache: PlatformCache,
}

impl EdgePlatform {
    pub(crate) fn open(env: &Env, cost: Cost, database: D1, is_behind_cache: bool) -> Self {
        Self {
            database,
            objects: R2::open(env, cost),
            jobs: Jobs::open(env),
            completions: Jobs::open_completions(env),
            cache: PlatformCache::open(env, is_behind_cache),
        }
    }
}

impl Platform for EdgePlatform {
    type Database = D1;
    type Objects = R2;
    type Digest = RuntimeDigest;
    type Jobs = Jobs;
    type Cache = PlatformCache;
    type Webhooks = PlatformWebhooks;

    fn database(&self) -> &D1 {
        &self.database
    }

    fn objects(&self) -> &R2 {
        &self.objects
    }

    fn jobs(&self) -> &Jobs {
        &self.jobs
    }

    fn completions(&self) -> Option<&Jobs> {
        self.completions.as_ref()
    }

    fn cache(&self) -> &PlatformCache {
        &self.cache
    }

    fn webhooks(&self) -> &PlatformWebhooks {
        &PlatformWebhooks
    }

    fn digest(&self) -> RuntimeDigest {
        RuntimeDigest::new()
    }

    fn now_ms(&self) -> u64 {
        Date::now().as_millis()
    }

    async fn sleep(&self, time: Duration) {
        Delay::from(time).await;
    }
}
