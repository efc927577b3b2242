//! A queue in memory.

use super::FakePlatform;
use crate::ports::error::PlatformError;
use crate::ports::queue::JobQueue;

impl JobQueue for FakePlatform {
    async fn send(&self, message: &str) -> Result<(), PlatformError> {
        self.yield_once().await;
        let apply = || {
            self.world.queue.borrow_mut().push(message.to_owned());
            Ok(())
        };
        self.operate(apply, PlatformError).answer().await
    }
}
