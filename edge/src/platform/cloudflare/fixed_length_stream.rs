//! A stream of the runtime whose length is known from its start.
//!
//! The runtime announces the length to the reader of the stream. R2 stores no stream without a length, and a client is
//! done after the last byte of its response, even if the stream ends later. The stream fails unless exactly that many
//! bytes are written.

use super::promise::js_error;
use crate::platform::error::PlatformError;
use js_sys::BigInt;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;
use worker::web_sys::{ReadableStream, WritableStream, WritableStreamDefaultWriter};

#[wasm_bindgen]
extern "C" {
    type FixedLengthStream;
    #[wasm_bindgen(constructor, catch)]
    fn new(length: BigInt) -> Result<FixedLengthStream, JsValue>;
    #[wasm_bindgen(method, getter)]
    fn readable(this: &FixedLengthStream) -> ReadableStream;
    #[wasm_bindgen(method, getter)]
    fn writable(this: &FixedLengthStream) -> WritableStream;
}

/// Creates a stream of this many bytes, and returns its two ends.
pub(super) fn fixed_length_stream(length: u64) -> Result<(WritableStreamDefaultWriter, ReadableStream), PlatformError> {
    let stream = FixedLengthStream::new(BigInt::from(length)).map_err(js_error)?;
    Ok((stream.writable().get_writer().map_err(js_error)?, stream.readable()))
}
