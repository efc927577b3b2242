//! Reading media from R2, as the runtime's own stream.
//!
//! The runtime sends the stream from the store to the client itself. No byte of it passes through wasm: it would be
//! copied twice, and its length would be lost.

use super::bucket::R2;
use crate::base::refusal::Refusal;
use crate::platform::cloudflare::promise::{js_error, resolve};
use crate::platform::error::PlatformError;
use crate::platform::object_store::ByteRange;
use js_sys::{Object, Promise, Reflect, Uint8Array};
use std::sync::{Arc, Mutex, PoisonError};
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};
use worker::send::SendWrapper;
use worker::web_sys::ReadableStream;

#[wasm_bindgen]
extern "C" {
    type R2Object;
    #[wasm_bindgen(method, getter)]
    fn size(this: &R2Object) -> f64;
    #[wasm_bindgen(method, getter)]
    fn body(this: &R2Object) -> JsValue;
    #[wasm_bindgen(method, catch, js_name = arrayBuffer)]
    fn array_buffer(this: &R2Object) -> Result<Promise, JsValue>;
}

/// The bytes of an object as a stream of the runtime, which travels in the extensions of a response.
#[derive(Clone)]
pub(crate) struct MediaStream(Arc<Mutex<Option<SendWrapper<JsValue>>>>);

impl R2 {
    /// Returns the size of an object and a stream of its bytes, limited to the range if there is one. Returns `None` if
    /// the object does not exist.
    pub(crate) async fn read(
        &self,
        key: &str,
        range: Option<(u64, u64)>,
    ) -> Result<Option<(u64, MediaStream)>, Refusal> {
        let object = resolve(self.operation().get(key, &get_options(range)?)).await?;
        Ok(existing(object).map(|object| (size_of(&object), MediaStream::new(object.body()))))
    }

    /// Returns the bytes of an object in memory, or `None` if it does not exist.
    pub(super) async fn read_bytes(&self, key: &str) -> Result<Option<Vec<u8>>, PlatformError> {
        let Some(object) = existing(resolve(self.operation().get(key, &Object::new())).await?) else {
            return Ok(None);
        };
        Ok(Some(Uint8Array::new(&resolve(object.array_buffer()).await?).to_vec()))
    }

    /// Returns bytes of an object as a stream of known length, which R2 requires for storing.
    pub(super) async fn stream(&self, key: &str, bytes: ByteRange) -> Result<ReadableStream, PlatformError> {
        let options = get_options(Some((bytes.start, bytes.start + bytes.length - 1)))?;
        let object = existing(resolve(self.operation().get(key, &options)).await?);
        let object = object.ok_or_else(|| PlatformError::Failed(format!("the object {key} does not exist")))?;
        Ok(object.body().unchecked_into())
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a size is a whole number below 2^53")]
fn size_of(object: &R2Object) -> u64 {
    object.size() as u64
}

impl MediaStream {
    fn new(stream: JsValue) -> Self {
        Self(Arc::new(Mutex::new(Some(SendWrapper(stream)))))
    }

    /// Takes the stream out. Later calls return `None`.
    pub(crate) fn take(&self) -> Option<JsValue> {
        let stream = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        stream.map(|SendWrapper(stream)| stream)
    }
}

fn existing(object: JsValue) -> Option<R2Object> {
    (!object.is_null() && !object.is_undefined()).then(|| object.unchecked_into())
}

fn get_options(range: Option<(u64, u64)>) -> Result<Object, PlatformError> {
    let options = Object::new();
    if let Some((first, last)) = range {
        let range = Object::new();
        set(&range, "offset", &number(first))?;
        set(&range, "length", &number(last - first + 1))?;
        set(&options, "range", &range)?;
    }
    Ok(options)
}

fn number(value: u64) -> JsValue {
    #[expect(clippy::cast_precision_loss, reason = "positions in a file are below 2^53")]
    JsValue::from_f64(value as f64)
}

fn set(object: &Object, name: &str, value: &JsValue) -> Result<(), PlatformError> {
    Reflect::set(object, &JsValue::from_str(name), value).map(drop).map_err(js_error)
}
