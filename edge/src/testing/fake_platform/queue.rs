//! A queue in memory.

use super::FakePlatform;
use crate::platform::error::PlatformError;
use crate::platform::queue::{JobQueue, MESSAGES_PER_CALL};

impl JobQueue for FakePlatform {
    async fn send(&self, message: &str) -> Result<(), PlatformError> {
        self.yield_once().await;
        let apply = || {
            self.world.queue.borrow_mut().push(message.to_owned());
            Ok(())
        };
        self.operate(apply, PlatformError::Failed).answer().await
    }

    async fn send_all(&self, messages: &[String]) -> Result<(), PlatformError> {
        self.yield_once().await;
        assert!(messages.len() <= MESSAGES_PER_CALL, "{} messages at once", messages.len());
        let apply = || {
            self.world.queue.borrow_mut().extend_from_slice(messages);
            Ok(())
        };
        self.operate(apply, PlatformError::Failed).answer().await
    }
}
