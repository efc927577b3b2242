//! The body of a request as a stream.
//!
//! It is read into one buffer, which is reused for every read. The crate's own conversion reads pieces of 4 KiB and
//! allocates each. By measurement, that halves the throughput and takes several times the memory.

use super::promise::{js_error, resolve};
use crate::base::limits::LARGE_READS_BYTES;
use crate::base::unix_seconds::UnixSeconds;
use crate::platform::error::PlatformError;
use crate::platform::isolate::{Quota, ReadSize};
use axum::body::Bytes;
use futures_util::{Stream, StreamExt, stream};
use js_sys::{Promise, Reflect, Uint8Array};
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};
use worker::Date;
use worker::send::{SendFuture, SendWrapper};
use worker::web_sys::ReadableStream;

/// A body that was not read for this long belongs to a cancelled request.
const SHARE_SECONDS: u64 = 60;

static LARGE_READS: Quota = Quota::new(LARGE_READS_BYTES, SHARE_SECONDS);

#[wasm_bindgen]
extern "C" {
    type IncomingBody;
    #[wasm_bindgen(method, catch, js_name = getReader)]
    fn get_reader(this: &IncomingBody, options: &JsValue) -> Result<Reader, JsValue>;

    type Reader;
    #[wasm_bindgen(method, catch)]
    fn read(this: &Reader, view: &Uint8Array) -> Result<Promise, JsValue>;

    type ReadResult;
    #[wasm_bindgen(method, getter)]
    fn done(this: &ReadResult) -> bool;
    #[wasm_bindgen(method, getter)]
    fn value(this: &ReadResult) -> Option<Uint8Array>;
}

struct BodyReader {
    reader: Reader,
    size: ReadSize<'static>,
    /// `None` before the first read: a request that is refused before its body needs no buffer.
    buffer: Option<Uint8Array>,
}

/// Returns the chunks of the body, which has this `Content-Length`.
pub(in crate::platform::cloudflare) fn chunks(
    body: ReadableStream,
    content_length: Option<u64>,
) -> Result<impl Stream<Item = Result<Bytes, PlatformError>> + use<>, PlatformError> {
    let options = js_sys::Object::new();
    Reflect::set(&options, &"mode".into(), &"byob".into()).map_err(js_error)?;
    let reader = body.unchecked_into::<IncomingBody>().get_reader(&options).map_err(js_error)?;
    let body = BodyReader { reader, size: ReadSize::new(&LARGE_READS, content_length), buffer: None };
    let chunks = stream::unfold(SendWrapper::new(Some(body)), |body| {
        SendFuture::new(async move {
            let mut body = body.0?;
            match body.read().await {
                Ok(Some(bytes)) => Some((Ok(bytes), SendWrapper::new(Some(body)))),
                Ok(None) => None,
                Err(error) => Some((Err(error), SendWrapper::new(None))),
            }
        })
    });
    // A refusal after the last byte polls the finished stream once more.
    Ok(chunks.fuse())
}

impl BodyReader {
    /// Returns the next bytes, or `None` at the end of the body.
    async fn read(&mut self) -> Result<Option<Bytes>, PlatformError> {
        let buffer = self.take_buffer();
        let result: ReadResult = resolve(self.reader.read(&buffer)).await?.unchecked_into();
        let Some(view) = result.value().filter(|_| !result.done()) else {
            return Ok(None);
        };
        // The read detached the buffer. The returned view has the same memory.
        self.buffer = Some(Uint8Array::new(&view.buffer()));
        let bytes = Bytes::from(view.to_vec());
        self.size.adapt(bytes.len(), UnixSeconds(Date::now().as_millis() / 1000));
        Ok(Some(bytes))
    }

    fn take_buffer(&mut self) -> Uint8Array {
        let size = self.size.bytes();
        self.buffer.take().filter(|buffer| buffer.length() == size).unwrap_or_else(|| Uint8Array::new_with_length(size))
    }
}
