//! R2 as the `ObjectStore`, called directly: the `worker` crate's own binding copies every part out of a vector in
//! wasm memory, which never shrinks; here a part fills in the runtime's memory and goes from there to hash and store.

use super::cost::Cost;
use crate::platform::{LIST_LENGTH, ObjectStore, PartBuffer, PlatformError, StoredPart};
use js_sys::{Array, Promise, Uint8Array};
use std::pin::Pin;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;
use worker::Env;
use worker::js_sys::futures::JsFuture;
use worker::wasm_bindgen::JsCast;

#[wasm_bindgen]
extern "C" {
    type Bucket;
    #[wasm_bindgen(method, catch)]
    fn put(this: &Bucket, key: &str, value: &Uint8Array) -> Result<Promise, JsValue>;
    #[wasm_bindgen(method, catch)]
    fn delete(this: &Bucket, keys: &Array) -> Result<Promise, JsValue>;
    #[wasm_bindgen(method, catch)]
    fn list(this: &Bucket, options: &ListOptions) -> Result<Promise, JsValue>;
    #[wasm_bindgen(method, catch, js_name = createMultipartUpload)]
    fn create_multipart_upload(this: &Bucket, key: &str) -> Result<Promise, JsValue>;
    #[wasm_bindgen(method, catch, js_name = resumeMultipartUpload)]
    fn resume_multipart_upload(
        this: &Bucket,
        key: &str,
        id: &str,
    ) -> Result<MultipartUpload, JsValue>;

    type MultipartUpload;
    #[wasm_bindgen(method, getter, js_name = uploadId)]
    fn upload_id(this: &MultipartUpload) -> String;
    #[wasm_bindgen(method, catch, js_name = uploadPart)]
    fn upload_part(
        this: &MultipartUpload,
        number: u16,
        value: &Uint8Array,
    ) -> Result<Promise, JsValue>;
    #[wasm_bindgen(method, catch)]
    fn complete(this: &MultipartUpload, parts: &Array) -> Result<Promise, JsValue>;
    #[wasm_bindgen(method, catch)]
    fn abort(this: &MultipartUpload) -> Result<Promise, JsValue>;

    #[wasm_bindgen(js_name = Object)]
    type ListOptions;
    #[wasm_bindgen(constructor, js_class = Object)]
    fn new() -> ListOptions;
    #[wasm_bindgen(method, setter)]
    fn set_prefix(this: &ListOptions, prefix: &str);
    #[wasm_bindgen(method, setter)]
    fn set_limit(this: &ListOptions, limit: u32);

    type Listed;
    #[wasm_bindgen(method, getter)]
    fn objects(this: &Listed) -> Array;

    type ListedObject;
    #[wasm_bindgen(method, getter)]
    fn key(this: &ListedObject) -> String;

    #[wasm_bindgen(js_name = Object)]
    type Part;
    #[wasm_bindgen(constructor, js_class = Object)]
    fn new() -> Part;
    #[wasm_bindgen(method, getter)]
    fn etag(this: &Part) -> String;
    #[wasm_bindgen(method, setter)]
    fn set_etag(this: &Part, etag: &str);
    #[wasm_bindgen(method, setter, js_name = partNumber)]
    fn set_part_number(this: &Part, number: u16);
}

pub struct R2 {
    bucket: Bucket,
    cost: Cost,
}

/// A part in the runtime's memory.
pub struct JsBuffer {
    memory: Uint8Array,
    length: u32,
}

impl R2 {
    pub fn open(env: &Env, cost: Cost) -> Self {
        Self {
            bucket: media_bucket(env),
            cost,
        }
    }

    /// The bucket, for one call.
    fn call(&self) -> &Bucket {
        self.cost.add_r2_operation();
        &self.bucket
    }

    fn unfinished(&self, key: &str, id: &str) -> Result<MultipartUpload, PlatformError> {
        self.call().resume_multipart_upload(key, id).map_err(failed)
    }
}

impl ObjectStore for R2 {
    type Buffer = JsBuffer;
    type Sending = Pin<Box<dyn Future<Output = Result<(StoredPart, JsBuffer), PlatformError>>>>;

    fn buffer(&self, capacity: usize) -> JsBuffer {
        JsBuffer {
            memory: Uint8Array::new_with_length(narrow(capacity)),
            length: 0,
        }
    }

    async fn put(&self, key: &str, bytes: &JsBuffer) -> Result<(), PlatformError> {
        settle(self.call().put(key, &bytes.view())).await.map(drop)
    }

    async fn start_multipart(&self, key: &str) -> Result<String, PlatformError> {
        let upload: MultipartUpload = settle(self.call().create_multipart_upload(key))
            .await?
            .unchecked_into();
        Ok(upload.upload_id())
    }

    fn send_part(
        &self,
        key: &str,
        multipart_id: &str,
        number: u16,
        bytes: JsBuffer,
    ) -> Self::Sending {
        // The call is made now; the future only waits for its answer.
        let upload = self.unfinished(key, multipart_id);
        let sent =
            upload.and_then(|upload| upload.upload_part(number, &bytes.view()).map_err(failed));
        Box::pin(async move {
            let part: Part = JsFuture::from(sent?)
                .await
                .map_err(failed)?
                .unchecked_into();
            Ok((
                StoredPart {
                    number,
                    etag: part.etag(),
                },
                bytes,
            ))
        })
    }

    async fn complete(
        &self,
        key: &str,
        multipart_id: &str,
        parts: &[StoredPart],
    ) -> Result<(), PlatformError> {
        let parts: Array = parts.iter().map(js_part).collect();
        settle(self.unfinished(key, multipart_id)?.complete(&parts))
            .await
            .map(drop)
    }

    async fn abort(&self, key: &str, multipart_id: &str) -> Result<(), PlatformError> {
        match settle(self.unfinished(key, multipart_id)?.abort()).await {
            // It was aborted or completed before: there is nothing left to abort.
            Err(PlatformError(message))
                if message.contains("10024") || message.contains("does not exist") =>
            {
                Ok(())
            }
            settled => settled.map(drop),
        }
    }

    async fn delete(&self, keys: &[String]) -> Result<(), PlatformError> {
        let keys: Array = keys.iter().map(|key| JsValue::from_str(key)).collect();
        settle(self.call().delete(&keys)).await.map(drop)
    }

    async fn list(&self, prefix: &str) -> Result<Vec<String>, PlatformError> {
        let options = ListOptions::new();
        options.set_prefix(prefix);
        options.set_limit(narrow(LIST_LENGTH));
        let listed: Listed = settle(self.call().list(&options)).await?.unchecked_into();
        let key = |object: JsValue| object.unchecked_into::<ListedObject>().key();
        Ok(listed.objects().iter().map(key).collect())
    }
}

impl JsBuffer {
    /// What of the memory is filled.
    pub fn view(&self) -> Uint8Array {
        self.memory.subarray(0, self.length)
    }
}

impl PartBuffer for JsBuffer {
    fn append(&mut self, bytes: &[u8]) {
        let end = self.length + narrow(bytes.len());
        self.memory.subarray(self.length, end).copy_from(bytes);
        self.length = end;
    }

    fn clear(&mut self) {
        self.length = 0;
    }

    fn length(&self) -> usize {
        usize::try_from(self.length).unwrap_or(usize::MAX)
    }
}

/// The bucket as whatever its caller knows it to be. One that is not bound fails at its first use.
pub fn media_bucket<T: JsCast>(env: &Env) -> T {
    let bound = js_sys::Reflect::get(env.as_ref(), &JsValue::from_str("MEDIA"));
    bound.unwrap_or_default().unchecked_into()
}

/// wasm's own lengths are 32 bits wide.
fn narrow(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

fn js_part(part: &StoredPart) -> JsValue {
    let js = Part::new();
    js.set_part_number(part.number);
    js.set_etag(&part.etag);
    js.into()
}

pub async fn settle(called: Result<Promise, JsValue>) -> Result<JsValue, PlatformError> {
    JsFuture::from(called.map_err(failed)?)
        .await
        .map_err(failed)
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "it is what map_err hands over"
)]
pub fn failed(error: JsValue) -> PlatformError {
    PlatformError(format!("{error:?}"))
}
