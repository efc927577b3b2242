//! The bucket, as the runtime binds it.
//!
//! The binding of the `worker` crate copies every part out of a vector in wasm memory, which never shrinks. Here the
//! runtime is called directly: a part is filled in the runtime's memory and goes from there to the hash and the store.

use crate::platform::cloudflare::cost::Cost;
use js_sys::{Array, Object, Promise, Reflect, Uint8Array};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;
use worker::Env;
use worker::wasm_bindgen::JsCast;
use worker::web_sys::ReadableStream;

#[wasm_bindgen]
extern "C" {
    pub type Bucket;
    #[wasm_bindgen(method, catch)]
    pub fn get(this: &Bucket, key: &str, options: &Object) -> Result<Promise, JsValue>;
    #[wasm_bindgen(method, catch)]
    pub fn put(this: &Bucket, key: &str, value: &Uint8Array) -> Result<Promise, JsValue>;
    #[wasm_bindgen(method, catch, js_name = put)]
    pub fn put_with(this: &Bucket, key: &str, value: &str, options: &Object) -> Result<Promise, JsValue>;
    #[wasm_bindgen(method, catch, js_name = put)]
    pub fn put_stream(this: &Bucket, key: &str, value: &ReadableStream) -> Result<Promise, JsValue>;
    #[wasm_bindgen(method, catch)]
    pub fn delete(this: &Bucket, keys: &Array) -> Result<Promise, JsValue>;
    #[wasm_bindgen(method, catch)]
    pub fn list(this: &Bucket, options: &Object) -> Result<Promise, JsValue>;
    #[wasm_bindgen(method, catch, js_name = createMultipartUpload)]
    pub fn create_multipart_upload(this: &Bucket, key: &str) -> Result<Promise, JsValue>;
    #[wasm_bindgen(method, catch, js_name = resumeMultipartUpload)]
    pub fn resume_multipart_upload(this: &Bucket, key: &str, id: &str) -> Result<MultipartUpload, JsValue>;

    pub type MultipartUpload;
    #[wasm_bindgen(method, getter, js_name = uploadId)]
    pub fn upload_id(this: &MultipartUpload) -> String;
    #[wasm_bindgen(method, catch, js_name = uploadPart)]
    pub fn upload_part(this: &MultipartUpload, number: u16, value: &Uint8Array) -> Result<Promise, JsValue>;
    #[wasm_bindgen(method, catch, js_name = uploadPart)]
    pub fn upload_part_stream(this: &MultipartUpload, number: u16, value: &ReadableStream) -> Result<Promise, JsValue>;
    #[wasm_bindgen(method, catch)]
    pub fn complete(this: &MultipartUpload, parts: &Array) -> Result<Promise, JsValue>;
    #[wasm_bindgen(method, catch)]
    pub fn abort(this: &MultipartUpload) -> Result<Promise, JsValue>;
}

/// The R2 bucket. Counts every operation on it.
pub(crate) struct R2 {
    bucket: Bucket,
    cost: Cost,
}

impl R2 {
    /// Opens the bucket. If it is not bound, its first use fails.
    pub(crate) fn open(env: &Env, cost: Cost) -> Self {
        let bound = Reflect::get(env.as_ref(), &JsValue::from_str("MEDIA"));
        Self { bucket: bound.unwrap_or_default().unchecked_into(), cost }
    }

    /// Counts an operation and returns the bucket for it.
    pub(super) fn operation(&self) -> &Bucket {
        self.cost.add_r2_operation();
        &self.bucket
    }
}
