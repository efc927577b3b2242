//! The queue of jobs. Its answer is waited for only so long: an upload is not to wait for a queue that hangs.

use crate::platform::{JobQueue, PlatformError};
use futures_util::future::{Either, select};
use std::pin::pin;
use std::time::Duration;
use worker::{Delay, Env, Queue, QueueContentType, RawMessageBuilder};

/// What does not get through in this time, the sweep sends.
const LONGEST_WAIT: Duration = Duration::from_secs(3);

pub struct Jobs(Result<Queue, PlatformError>);

impl Jobs {
    pub fn open(env: &Env) -> Self {
        Self(
            env.queue("JOBS")
                .map_err(|error| PlatformError(format!("{error:?}"))),
        )
    }
}

impl JobQueue for Jobs {
    async fn send(&self, message: &str) -> Result<(), PlatformError> {
        let queue = self.0.as_ref().map_err(Clone::clone)?;
        // As text, so that a puller gets it as it is and not in base64.
        let message =
            RawMessageBuilder::new(message.into()).build_with_content_type(QueueContentType::Text);
        match select(
            pin!(queue.send_raw(message)),
            pin!(Delay::from(LONGEST_WAIT)),
        )
        .await
        {
            Either::Left((sent, _)) => sent.map_err(|error| PlatformError(format!("{error:?}"))),
            Either::Right(_) => Err(PlatformError(format!(
                "the queue gave no answer within {LONGEST_WAIT:?}"
            ))),
        }
    }
}
