//! Writing to R2 while the bytes arrive.
//!
//! R2 takes a stream only if its length is announced, and stores nothing unless exactly that many bytes are written.
//! The runtime passes the bytes on without collecting them.

use super::segment::JsSegment;
use crate::platform::cloudflare::fixed_length_stream::fixed_length_stream;
use crate::platform::cloudflare::promise::js_error;
use crate::platform::error::PlatformError;
use crate::platform::object_store::ObjectWriter;
use futures_util::future::{Either, select};
use js_sys::{Promise, Reflect};
use std::pin::Pin;
use wasm_bindgen::JsValue;
use worker::js_sys::futures::JsFuture;
use worker::web_sys::{ReadableStream, WritableStreamDefaultWriter};

/// An R2 operation that is reading its bytes from a stream.
pub(crate) struct R2Writer {
    /// `None` once the stream is closed.
    stream: Option<WritableStreamDefaultWriter>,
    /// Waits for the operation from its start on, so that a failure is never an unhandled rejection.
    operation: Operation,
}

enum Operation {
    Running(JsFuture),
    Ended(Result<JsValue, PlatformError>),
}

impl R2Writer {
    /// Starts the operation with the readable side of a stream of this length.
    pub(super) fn start(
        length: u64,
        operation: impl FnOnce(&ReadableStream) -> Result<Promise, JsValue>,
    ) -> Result<Self, PlatformError> {
        let (stream, readable) = fixed_length_stream(length)?;
        let operation = operation(&readable).map_err(js_error)?;
        Ok(Self { stream: Some(stream), operation: Operation::Running(JsFuture::from(operation)) })
    }
}

impl Operation {
    async fn result(self) -> Result<JsValue, PlatformError> {
        match self {
            Self::Running(operation) => operation.await.map_err(js_error),
            Self::Ended(result) => result,
        }
    }
}

impl ObjectWriter<JsSegment> for R2Writer {
    type Storing = Pin<Box<dyn Future<Output = Result<String, PlatformError>>>>;

    async fn write(&mut self, bytes: &JsSegment) -> Result<(), PlatformError> {
        let stream = self.stream.as_ref().ok_or_else(closed)?;
        let written = JsFuture::from(stream.write_with_chunk(&bytes.view()));
        let Operation::Running(operation) = &mut self.operation else {
            return written.await.map(drop).map_err(js_error);
        };
        // A failed operation stops reading, and the write might then wait forever.
        match select(written, operation).await {
            Either::Left((written, _)) => written.map(drop).map_err(js_error),
            Either::Right((ended, _)) => {
                let ended = ended.map_err(js_error);
                self.operation = Operation::Ended(ended.clone());
                ended.map(drop)
            }
        }
    }

    fn finish(mut self) -> Self::Storing {
        // The stream is closed now; the future only waits for the result.
        let closing = self.stream.take().map(|stream| JsFuture::from(stream.close()));
        let operation = std::mem::replace(&mut self.operation, Operation::Ended(Err(closed())));
        Box::pin(async move {
            // If closing fails, the operation fails as well, and its error says more.
            let stored = operation.result().await?;
            closing.ok_or_else(closed)?.await.map_err(js_error)?;
            entity_tag(&stored)
        })
    }
}

impl Drop for R2Writer {
    fn drop(&mut self) {
        if let Some(stream) = self.stream.take() {
            // This fails the operation, so that nothing is stored. Do not wait for it.
            drop(JsFuture::from(stream.abort()));
        }
    }
}

/// Returns the entity tag of a stored object or part.
pub(super) fn entity_tag(stored: &JsValue) -> Result<String, PlatformError> {
    let tag = Reflect::get(stored, &JsValue::from_str("etag")).map_err(js_error)?;
    tag.as_string().ok_or_else(|| PlatformError::Failed("R2 returned no entity tag".to_owned()))
}

fn closed() -> PlatformError {
    PlatformError::Failed("the stream to R2 is closed already".to_owned())
}
