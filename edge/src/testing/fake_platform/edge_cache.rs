//! A cache that records what is purged from it.

use super::FakePlatform;
use crate::platform::edge_cache::EdgeCache;
use crate::platform::error::PlatformError;

impl EdgeCache for FakePlatform {
    async fn purge(&self, tags: &[&str]) -> Result<(), PlatformError> {
        self.yield_once().await;
        let apply = || {
            if self.world.refuses_purges.get() {
                return Err(PlatformError::Failed("too many purges".to_owned()));
            }
            self.world.purges.borrow_mut().push(tags.iter().map(|tag| (*tag).to_owned()).collect());
            Ok(())
        };
        self.operate(apply, PlatformError::Failed).answer().await
    }
}
