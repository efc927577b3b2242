//! The runtime's request as one of axum's.
//!
//! The body is read by hand, into one large buffer that goes back and forth: the crate's own conversion reads it in
//! pieces of 4 KiB, each a new piece of garbage, which measured half the throughput and several times the memory.

use crate::error::ApiError;
use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Request};
use futures_util::{Stream, StreamExt, stream};
use js_sys::{Promise, Reflect, Uint8Array};
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};
use worker::send::{SendFuture, SendWrapper};

use super::r2::settle;
use crate::platform::PlatformError;

/// What one read may bring: large enough to be rare, small beside a part.
const READ_BYTES: u32 = 128 * 1024;

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

pub fn from_runtime(request: &worker::Request) -> Result<Request<Body>, ApiError> {
    let runtime = request.inner();
    let body = match runtime.body() {
        Some(body) => Body::from_stream(chunks(&body.unchecked_into())?),
        None => Body::empty(),
    };
    let mut converted = Request::builder()
        .method(runtime.method().as_str())
        .uri(runtime.url())
        .body(body)?;
    *converted.headers_mut() = headers(request);
    Ok(converted)
}

/// The crate's own conversion panics, before anything catches it, at what axum takes for no header. Here that is left out,
/// and so counts as not sent.
fn headers(request: &worker::Request) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for (name, value) in request.headers() {
        let name = HeaderName::from_bytes(name.as_bytes());
        if let (Ok(name), Ok(value)) = (name, HeaderValue::from_bytes(value.as_bytes())) {
            headers.append(name, value);
        }
    }
    headers
}

struct Reading {
    reader: Reader,
    buffer: Uint8Array,
}

fn chunks(
    body: &IncomingBody,
) -> Result<impl Stream<Item = Result<Bytes, PlatformError>> + use<>, ApiError> {
    let options = js_sys::Object::new();
    let unreadable = |error: JsValue| ApiError::internal(format!("{error:?}"));
    Reflect::set(&options, &"mode".into(), &"byob".into()).map_err(unreadable)?;
    let reader = body.get_reader(&options).map_err(unreadable)?;
    let buffer = Uint8Array::new_with_length(READ_BYTES);
    let reading = SendWrapper::new(Some(Reading { reader, buffer }));
    let chunks = stream::unfold(reading, |reading| {
        SendFuture::new(async move {
            let reading = reading.0?;
            match read(reading).await {
                Ok((bytes, reading)) => Some((Ok(bytes), SendWrapper::new(Some(reading)))),
                Err(Some(error)) => Some((Err(error), SendWrapper::new(None))),
                Err(None) => None,
            }
        })
    });
    // A refusal that comes after the last byte asks once more for what is left.
    Ok(chunks.fuse())
}

/// The next bytes, and the buffer they came in; `Err(None)` at the end.
async fn read(reading: Reading) -> Result<(Bytes, Reading), Option<PlatformError>> {
    let Reading { reader, buffer } = reading;
    let result = settle(reader.read(&buffer)).await.map_err(Some)?;
    let result: ReadResult = result.unchecked_into();
    match result.value() {
        Some(view) if !result.done() => {
            // The read took the buffer away; the view that it brought stands on the same memory.
            let buffer = Uint8Array::new(&view.buffer());
            Ok((Bytes::from(view.to_vec()), Reading { reader, buffer }))
        }
        _ => Err(None),
    }
}
