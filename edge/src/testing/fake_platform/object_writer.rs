//! A part or an object that is stored while its bytes arrive.

use super::FakePlatform;
use super::world::Target;
use crate::platform::error::PlatformError;
use crate::platform::object_store::ObjectWriter;
use std::pin::Pin;

/// Bytes on their way to an object or a part, which is stored when all of them have arrived.
pub(crate) struct FakeWriter {
    platform: FakePlatform,
    target: Target,
    length: u64,
    bytes: Vec<u8>,
}

impl FakeWriter {
    pub(super) fn new(platform: &FakePlatform, target: Target, length: u64) -> Self {
        Self { platform: platform.clone(), target, length, bytes: Vec::new() }
    }
}

impl ObjectWriter<Vec<u8>> for FakeWriter {
    type Storing = Pin<Box<dyn Future<Output = Result<String, PlatformError>>>>;

    async fn write(&mut self, bytes: &Vec<u8>) -> Result<(), PlatformError> {
        self.platform.yield_once().await;
        self.bytes.extend_from_slice(bytes);
        assert!(self.bytes.len() as u64 <= self.length, "more bytes than announced");
        Ok(())
    }

    fn finish(self) -> Self::Storing {
        assert_eq!(self.bytes.len() as u64, self.length, "as many bytes as announced");
        // The operation runs when it is called, like the runtime's promises. The future only waits for the result.
        let operation =
            self.platform.operate(|| self.platform.world.store(&self.target, &self.bytes), PlatformError::Failed);
        Box::pin(async move {
            self.platform.yield_once().await;
            operation.answer().await
        })
    }
}
