//! The queue of jobs, with a timeout: an upload must not wait for a queue that hangs.

use crate::ports::error::PlatformError;
use crate::ports::queue::JobQueue;
use futures_util::future::{Either, select};
use std::pin::pin;
use std::time::Duration;
use worker::{Delay, Env, Queue, QueueContentType, RawMessageBuilder};

/// The sweep sends a job that was not accepted in this time.
const TIMEOUT: Duration = Duration::from_secs(3);

pub(crate) struct Jobs(Result<Queue, PlatformError>);

impl Jobs {
    pub(crate) fn open(env: &Env) -> Self {
        Self(env.queue("JOBS").map_err(|error| PlatformError(format!("{error:?}"))))
    }
}

impl JobQueue for Jobs {
    async fn send(&self, message: &str) -> Result<(), PlatformError> {
        let queue = self.0.as_ref().map_err(Clone::clone)?;
        // As text: the pull API returns other content types in base64.
        let message = RawMessageBuilder::new(message.into()).build_with_content_type(QueueContentType::Text);
        match select(pin!(queue.send_raw(message)), pin!(Delay::from(TIMEOUT))).await {
            Either::Left((sent, _)) => sent.map_err(|error| PlatformError(format!("{error:?}"))),
            Either::Right(_) => Err(PlatformError(format!("the queue did not answer within {TIMEOUT:?}"))),
        }
    }
}
