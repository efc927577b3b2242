//! The queues of jobs, with a timeout: an upload must not wait for a queue that hangs.

use super::promise::resolve;
use super::timeout::within;
use crate::platform::error::PlatformError;
use crate::platform::queue::{Backlog, JobQueue};
use js_sys::{Date, Promise};
use std::time::Duration;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};
use worker::{BatchMessageBuilder, Env, Queue, QueueContentType, RawMessageBuilder, SendMessage};

/// If the queue does not accept a job in this time, the sweep sends it.
const TIMEOUT: Duration = Duration::from_secs(3);

#[wasm_bindgen]
extern "C" {
    /// The part of the binding that the `worker` crate lacks.
    type WatchedQueue;
    #[wasm_bindgen(method, catch)]
    fn metrics(this: &WatchedQueue) -> Result<Promise, JsValue>;

    type Metrics;
    #[wasm_bindgen(method, getter, js_name = backlogCount)]
    fn backlog_count(this: &Metrics) -> f64;
    #[wasm_bindgen(method, getter, js_name = backlogBytes)]
    fn backlog_bytes(this: &Metrics) -> f64;
    #[wasm_bindgen(method, getter, js_name = oldestMessageTimestamp)]
    fn oldest_message_timestamp(this: &Metrics) -> JsValue;
}

pub(crate) struct Jobs(Result<Queue, PlatformError>);

impl Jobs {
    pub(crate) fn open(env: &Env) -> Self {
        Self(env.queue("JOBS").map_err(unknown))
    }

    /// Opens the queue of the completion jobs. Returns `None` if they share the queue of all jobs.
    pub(crate) fn open_completions(env: &Env) -> Option<Self> {
        Some(Self(Ok(env.queue("COMPLETIONS").ok()?)))
    }

    fn queue(&self) -> Result<&Queue, PlatformError> {
        self.0.as_ref().map_err(Clone::clone)
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a whole number below 2^53")]
fn whole(number: f64) -> u64 {
    number as u64
}

impl JobQueue for Jobs {
    async fn send(&self, message: &str) -> Result<(), PlatformError> {
        let sending = self.queue()?.send_raw(as_text(message));
        within(TIMEOUT, async { sending.await.map_err(unknown) }).await
    }

    async fn send_all(&self, messages: &[String]) -> Result<(), PlatformError> {
        let batch = BatchMessageBuilder::new().messages(messages.iter().map(|message| as_text(message)));
        let sending = self.queue()?.send_raw_batch(batch.build());
        within(TIMEOUT, async { sending.await.map_err(unknown) }).await
    }

    async fn backlog(&self) -> Result<Backlog, PlatformError> {
        let queue: &WatchedQueue = self.queue()?.as_ref().unchecked_ref();
        let metrics: Metrics = within(TIMEOUT, resolve(queue.metrics())).await?.unchecked_into();
        let oldest = metrics.oldest_message_timestamp().dyn_into::<Date>().ok();
        Ok(Backlog {
            messages: whole(metrics.backlog_count()),
            bytes: whole(metrics.backlog_bytes()),
            oldest_at_ms: oldest.map(|date| whole(date.get_time())),
        })
    }
}

/// A message as text: the pull API returns other content types in base64.
fn as_text(message: &str) -> SendMessage<JsValue> {
    RawMessageBuilder::new(message.into()).build_with_content_type(QueueContentType::Text)
}

#[expect(clippy::needless_pass_by_value, reason = "map_err passes it by value")]
fn unknown(error: worker::Error) -> PlatformError {
    PlatformError::Failed(format!("{error:?}"))
}
