//! R2 as the `ObjectStore` of uploads and the sweep.

use super::bucket::{MultipartUpload, R2};
use super::error_code::R2ErrorCode;
use super::segment::{JsSegment, narrow};
use super::writer::{R2Writer, entity_tag};
use crate::platform::cloudflare::promise::{js_error, resolve};
use crate::platform::cloudflare::request_body::chunks;
use crate::platform::error::PlatformError;
use crate::platform::object_store::{
    ByteRange, DESCRIPTIONS_LENGTH, DescribedObject, DescriptionList, LIST_LENGTH, ObjectStore, ObjectWriter,
    PartAddress, Segment, StoredPart,
};
use axum::body::Bytes;
use futures_util::StreamExt;
use futures_util::stream::LocalBoxStream;
use js_sys::Array;
use std::pin::Pin;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;
use worker::wasm_bindgen::JsCast;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_name = Object)]
    type ListOptions;
    #[wasm_bindgen(constructor, js_class = Object)]
    fn new() -> ListOptions;
    #[wasm_bindgen(method, setter)]
    fn set_prefix(this: &ListOptions, prefix: &str);
    #[wasm_bindgen(method, setter)]
    fn set_limit(this: &ListOptions, limit: u32);
    #[wasm_bindgen(method, setter, js_name = startAfter)]
    fn set_start_after(this: &ListOptions, after: &str);
    #[wasm_bindgen(method, setter)]
    fn set_include(this: &ListOptions, parts: &Array);

    type ObjectList;
    #[wasm_bindgen(method, getter)]
    fn objects(this: &ObjectList) -> Array;
    #[wasm_bindgen(method, getter)]
    fn truncated(this: &ObjectList) -> bool;

    #[wasm_bindgen(js_name = Object)]
    type PutOptions;
    #[wasm_bindgen(constructor, js_class = Object)]
    fn new() -> PutOptions;
    #[wasm_bindgen(method, setter, js_name = customMetadata)]
    fn set_custom_metadata(this: &PutOptions, metadata: &CustomMetadata);

    #[wasm_bindgen(js_name = Object)]
    type CustomMetadata;
    #[wasm_bindgen(constructor, js_class = Object)]
    fn new() -> CustomMetadata;
    #[wasm_bindgen(method, setter)]
    fn set_description(this: &CustomMetadata, text: &str);
    #[wasm_bindgen(method, getter)]
    fn description(this: &CustomMetadata) -> Option<String>;

    type ListedObject;
    #[wasm_bindgen(method, getter)]
    fn key(this: &ListedObject) -> String;
    #[wasm_bindgen(method, getter)]
    fn size(this: &ListedObject) -> f64;
    #[wasm_bindgen(method, getter, js_name = customMetadata)]
    fn custom_metadata(this: &ListedObject) -> Option<CustomMetadata>;

    #[wasm_bindgen(js_name = Object)]
    type Part;
    #[wasm_bindgen(constructor, js_class = Object)]
    fn new() -> Part;
    #[wasm_bindgen(method, setter)]
    fn set_etag(this: &Part, etag: &str);
    #[wasm_bindgen(method, setter, js_name = partNumber)]
    fn set_part_number(this: &Part, number: u16);
}

impl R2 {
    fn multipart(&self, key: &str, id: &str) -> Result<MultipartUpload, PlatformError> {
        self.operation().resume_multipart_upload(key, id).map_err(js_error)
    }

    async fn list_objects(
        &self,
        prefix: &str,
        after: &str,
    ) -> Result<impl Iterator<Item = ListedObject>, PlatformError> {
        let options = list_options(prefix, after, LIST_LENGTH);
        let list: ObjectList = resolve(self.operation().list(options.unchecked_ref())).await?.unchecked_into();
        Ok(list.listed())
    }
}

fn list_options(prefix: &str, after: &str, length: usize) -> ListOptions {
    let options = ListOptions::new();
    options.set_prefix(prefix);
    if !after.is_empty() {
        options.set_start_after(after);
    }
    options.set_limit(narrow(length));
    options
}

impl ObjectList {
    fn listed(&self) -> impl Iterator<Item = ListedObject> + use<> {
        self.objects().to_vec().into_iter().map(JsCast::unchecked_into)
    }
}

impl ObjectStore for R2 {
    type Segment = JsSegment;
    type Writer = R2Writer;
    type Sending = Pin<Box<dyn Future<Output = Result<(String, JsSegment), PlatformError>>>>;

    type Reading = LocalBoxStream<'static, Result<Bytes, PlatformError>>;

    fn segment(&self, capacity: usize) -> JsSegment {
        JsSegment::new(capacity)
    }

    async fn put(&self, key: &str, segments: &[JsSegment]) -> Result<(), PlatformError> {
        if let [segment] = segments {
            return resolve(self.operation().put(key, &segment.view())).await.map(drop);
        }
        let length = segments.iter().map(|segment| segment.length() as u64).sum();
        let mut writer = self.open_object(key, length)?;
        for segment in segments {
            writer.write(segment).await?;
        }
        writer.finish().await.map(drop)
    }

    async fn start_multipart(&self, key: &str) -> Result<String, PlatformError> {
        let upload: MultipartUpload = resolve(self.operation().create_multipart_upload(key)).await?.unchecked_into();
        Ok(upload.upload_id())
    }

    fn send_part(&self, part: PartAddress<'_>, bytes: JsSegment) -> Self::Sending {
        // The call starts now; the future only waits for its result.
        let upload = self.multipart(part.key, part.multipart_id);
        let promise = upload.and_then(|upload| upload.upload_part(part.number, &bytes.view()).map_err(js_error));
        Box::pin(async move { Ok((entity_tag(&resolve(Ok(promise?)).await?)?, bytes)) })
    }

    fn open_part(&self, part: PartAddress<'_>, length: u64) -> Result<R2Writer, PlatformError> {
        let upload = self.multipart(part.key, part.multipart_id)?;
        R2Writer::start(length, |stream| upload.upload_part_stream(part.number, stream))
    }

    fn open_object(&self, key: &str, length: u64) -> Result<R2Writer, PlatformError> {
        R2Writer::start(length, |stream| self.operation().put_stream(key, stream))
    }

    async fn copy_to_part(&self, from: &str, bytes: ByteRange, to: PartAddress<'_>) -> Result<String, PlatformError> {
        let bytes = self.stream(from, bytes).await?;
        let upload = self.multipart(to.key, to.multipart_id)?;
        entity_tag(&resolve(upload.upload_part_stream(to.number, &bytes)).await?)
    }

    async fn copy_to_object(&self, from: &str, bytes: ByteRange, to: &str) -> Result<(), PlatformError> {
        let bytes = self.stream(from, bytes).await?;
        resolve(self.operation().put_stream(to, &bytes)).await.map(drop)
    }

    async fn complete(&self, key: &str, multipart_id: &str, parts: &[StoredPart]) -> Result<(), PlatformError> {
        let parts: Array = parts.iter().map(js_part).collect();
        resolve(self.multipart(key, multipart_id)?.complete(&parts)).await.map(drop)
    }

    async fn abort(&self, key: &str, multipart_id: &str) -> Result<(), PlatformError> {
        match resolve(self.multipart(key, multipart_id)?.abort()).await {
            // It has already been aborted or completed, so there is nothing to abort.
            Err(error) if R2ErrorCode::of(&error) == Some(R2ErrorCode::NoSuchUpload) => Ok(()),
            aborted => aborted.map(drop),
        }
    }

    async fn delete(&self, keys: &[String]) -> Result<(), PlatformError> {
        let keys: Array = keys.iter().map(|key| JsValue::from_str(key)).collect();
        resolve(self.operation().delete(&keys)).await.map(drop)
    }

    async fn read(&self, key: &str, bytes: ByteRange) -> Result<Self::Reading, PlatformError> {
        Ok(chunks(self.stream(key, bytes).await?, Some(bytes.length))?.boxed_local())
    }

    async fn read_whole(&self, key: &str) -> Result<Option<Vec<u8>>, PlatformError> {
        self.read_bytes(key).await
    }

    async fn list_sizes(&self, prefix: &str) -> Result<Vec<(String, u64)>, PlatformError> {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a whole number below 2^53")]
        let entry = |object: ListedObject| (object.key(), object.size() as u64);
        Ok(self.list_objects(prefix, "").await?.map(entry).collect())
    }

    async fn list(&self, prefix: &str) -> Result<Vec<String>, PlatformError> {
        self.list_after(prefix, "").await
    }

    async fn list_after(&self, prefix: &str, after: &str) -> Result<Vec<String>, PlatformError> {
        Ok(self.list_objects(prefix, after).await?.map(|object| object.key()).collect())
    }

    async fn put_description(&self, key: &str, description: &str) -> Result<(), PlatformError> {
        let (options, metadata) = (PutOptions::new(), CustomMetadata::new());
        metadata.set_description(description);
        options.set_custom_metadata(&metadata);
        resolve(self.operation().put_with(key, "", options.unchecked_ref())).await.map(drop)
    }

    async fn list_descriptions(&self, prefix: &str, after: &str) -> Result<DescriptionList, PlatformError> {
        let options = list_options(prefix, after, DESCRIPTIONS_LENGTH);
        options.set_include(&Array::of1(&JsValue::from_str("customMetadata")));
        let list: ObjectList = resolve(self.operation().list(options.unchecked_ref())).await?.unchecked_into();
        let described = |object: ListedObject| {
            let description = object.custom_metadata().and_then(|metadata| metadata.description());
            DescribedObject { key: object.key(), description }
        };
        Ok(DescriptionList { objects: list.listed().map(described).collect(), has_more: list.truncated() })
    }
}

fn js_part(part: &StoredPart) -> JsValue {
    let js = Part::new();
    js.set_part_number(part.number);
    js.set_etag(&part.etag);
    js.into()
}
