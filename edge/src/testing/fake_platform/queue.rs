//! The queues in memory.

use super::FakePlatform;
use crate::platform::error::PlatformError;
use crate::platform::queue::{Backlog, JobQueue, MESSAGES_PER_CALL};
use std::cell::RefCell;

impl FakePlatform {
    fn messages(&self) -> &RefCell<Vec<String>> {
        if self.is_completions { &self.world.completions } else { &self.world.queue }
    }
}

impl JobQueue for FakePlatform {
    async fn send(&self, message: &str) -> Result<(), PlatformError> {
        self.yield_once().await;
        let apply = || self.world.enqueue(self.messages(), &[message.to_owned()]);
        self.operate(apply, PlatformError::Failed).answer().await
    }

    async fn send_all(&self, messages: &[String]) -> Result<(), PlatformError> {
        self.yield_once().await;
        assert!(messages.len() <= MESSAGES_PER_CALL, "{} messages at once", messages.len());
        self.operate(|| self.world.enqueue(self.messages(), messages), PlatformError::Failed).answer().await
    }

    async fn backlog(&self) -> Result<Backlog, PlatformError> {
        self.yield_once().await;
        let count = || {
            let (queue, sent) = (self.messages().borrow(), self.world.sent_at_unix.borrow());
            Ok(Backlog {
                messages: queue.len() as u64,
                bytes: queue.iter().map(|message| message.len() as u64).sum(),
                oldest_at_ms: queue.iter().filter_map(|message| sent.get(message)).min().map(|at| at * 1000),
            })
        };
        self.operate(count, PlatformError::Failed).answer().await
    }
}
