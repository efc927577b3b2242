//! R2 as the delivery reads it: an object's facts, or its bytes as the runtime's own stream.
//!
//! The stream goes from the store to the client inside the runtime. Not a byte of it passes through wasm: it would be
//! copied twice, and its length would be lost on the way.

use super::r2::{media_bucket, settle};
use crate::error::ApiError;
use axum::body::Body;
use axum::http::Response;
use js_sys::{Object, Promise, Reflect};
use std::sync::{Arc, Mutex, PoisonError};
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};
use worker::Env;
use worker::send::SendWrapper;

#[wasm_bindgen]
extern "C" {
    type Bucket;
    #[wasm_bindgen(method, catch)]
    fn head(this: &Bucket, key: &str) -> Result<Promise, JsValue>;
    #[wasm_bindgen(method, catch)]
    fn get(this: &Bucket, key: &str, options: &Object) -> Result<Promise, JsValue>;

    type StoredObject;
    #[wasm_bindgen(method, getter)]
    fn size(this: &StoredObject) -> f64;
    #[wasm_bindgen(method, getter, js_name = httpEtag)]
    fn http_etag(this: &StoredObject) -> String;
    #[wasm_bindgen(method, getter)]
    fn body(this: &StoredObject) -> JsValue;
}

pub struct MediaStore(Bucket);

/// What the store says of an object.
#[derive(Debug)]
pub struct Facts {
    pub size_bytes: u64,
    /// With its quotes, as a header has it.
    pub tag: String,
}

/// A body that the runtime sends by itself, on its way with the response.
#[derive(Clone)]
pub struct Streamed(Arc<Mutex<Option<SendWrapper<JsValue>>>>);

impl MediaStore {
    pub fn open(env: &Env) -> Self {
        Self(media_bucket(env))
    }

    /// `None` when there is no such object.
    pub async fn facts(&self, key: &str) -> Result<Option<Facts>, ApiError> {
        let found = settle(self.0.head(key)).await?;
        Ok(stored(found).map(|object| Facts::of(&object)))
    }

    /// The object's bytes from the first to the last, or all of them; `None` when there is no such object.
    pub async fn read(
        &self,
        key: &str,
        part: Option<(u64, u64)>,
    ) -> Result<Option<(Facts, Streamed)>, ApiError> {
        let options = Object::new();
        if let Some((first, last)) = part {
            let range = Object::new();
            set(&range, "offset", &number(first))?;
            set(&range, "length", &number(last - first + 1))?;
            set(&options, "range", &range)?;
        }
        let found = settle(self.0.get(key, &options)).await?;
        Ok(stored(found).map(|object| (Facts::of(&object), Streamed::new(object.body()))))
    }
}

impl Facts {
    fn of(object: &StoredObject) -> Self {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a size is a whole number below 2^53"
        )]
        Self {
            size_bytes: object.size() as u64,
            tag: object.http_etag(),
        }
    }
}

impl Streamed {
    fn new(stream: JsValue) -> Self {
        Self(Arc::new(Mutex::new(Some(SendWrapper(stream)))))
    }

    fn take(&self) -> Option<JsValue> {
        let stream = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        stream.map(|SendWrapper(stream)| stream)
    }
}

/// The response as the runtime has it: with the stream that travels with it, or else with its own body.
///
/// Not by way of the crate's own response, which takes a body's stream out and puts it into another response.
pub fn into_runtime(mut response: Response<Body>) -> worker::Result<worker::web_sys::Response> {
    let streamed = response.extensions_mut().remove::<Streamed>();
    let Some(stream) = streamed.and_then(|streamed| streamed.take()) else {
        let converted = worker::IntoResponse::into_raw(response);
        return converted.map_err(|error| worker::Error::RustError(error.into().to_string()));
    };
    let builder = worker::Response::builder()
        .with_status(response.status().as_u16())
        .with_headers(response.headers().into());
    Ok(builder.stream(stream.unchecked_into()).into())
}

fn stored(found: JsValue) -> Option<StoredObject> {
    (!found.is_null() && !found.is_undefined()).then(|| found.unchecked_into())
}

fn number(value: u64) -> JsValue {
    #[expect(
        clippy::cast_precision_loss,
        reason = "positions in a file are below 2^53"
    )]
    JsValue::from_f64(value as f64)
}

fn set(object: &Object, name: &str, value: &JsValue) -> Result<(), ApiError> {
    let set = Reflect::set(object, &JsValue::from_str(name), value);
    set.map(drop)
        .map_err(|error| ApiError::internal(format!("{error:?}")))
}
