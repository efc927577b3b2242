//! Converts axum's response into one of the runtime's.

use super::fixed_length_stream::fixed_length_stream;
use super::promise::resolve;
use super::r2::MediaStream;
use axum::body::{Body, Bytes, to_bytes};
use axum::http::Response;
use axum::http::response::Parts;
use js_sys::Uint8Array;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use worker::js_sys::futures::spawn_local;
use worker::send::SendWrapper;
use worker::wasm_bindgen::{JsCast, JsValue};
use worker::web_sys::WritableStreamDefaultWriter;

type EndOfRequest = Pin<Box<dyn Future<Output = ()>>>;

/// Holds back the end of a response, but none of its bytes, until a future is ready. It travels in the extensions of
/// the response.
#[derive(Clone)]
pub(crate) struct HeldEnd(Arc<Mutex<Option<SendWrapper<EndOfRequest>>>>);

impl HeldEnd {
    pub(crate) fn until(future: impl Future<Output = ()> + 'static) -> Self {
        Self(Arc::new(Mutex::new(Some(SendWrapper(Box::pin(future))))))
    }

    /// Takes the future out. Any later call returns `None`.
    fn take(&self) -> Option<EndOfRequest> {
        let future = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        future.map(|SendWrapper(future)| future)
    }
}

/// Converts a response, with the media stream in its extensions or else with its own body.
///
/// The crate's own `Response` is not used for streams: it would take the stream out of the body and put it into another
/// response.
pub(crate) async fn into_runtime(mut response: Response<Body>) -> worker::Result<worker::web_sys::Response> {
    let extensions = response.extensions_mut();
    let (media, held) = (extensions.remove::<MediaStream>(), extensions.remove::<HeldEnd>());
    if let Some(stream) = media.and_then(|stream| stream.take()) {
        return Ok(with_stream(&response.into_parts().0, stream));
    }
    if let Some(end) = held.and_then(|held| held.take()) {
        return with_held_end(response, end).await;
    }
    let converted = worker::IntoResponse::into_raw(response);
    converted.map_err(|error| worker::Error::RustError(error.into().to_string()))
}

fn with_stream(head: &Parts, stream: JsValue) -> worker::web_sys::Response {
    let builder = worker::Response::builder().with_status(head.status.as_u16()).with_headers((&head.headers).into());
    builder.stream(stream.unchecked_into()).into()
}

/// Returns a response of known length. The client gets the whole response at once, while the runtime keeps the
/// connection open until `end` is ready.
async fn with_held_end(response: Response<Body>, end: EndOfRequest) -> worker::Result<worker::web_sys::Response> {
    let failed = |error: &dyn std::fmt::Display| worker::Error::RustError(error.to_string());
    let (head, body) = response.into_parts();
    let bytes = to_bytes(body, usize::MAX).await.map_err(|error| failed(&error))?;
    let (writer, stream) = fixed_length_stream(bytes.len() as u64).map_err(|error| failed(&error.to_string()))?;
    spawn_local(write_and_hold(writer, bytes, end));
    Ok(with_stream(&head, stream.into()))
}

async fn write_and_hold(writer: WritableStreamDefaultWriter, bytes: Bytes, end: EndOfRequest) {
    let bytes = Uint8Array::from(bytes.as_ref());
    let written = resolve(Ok(writer.write_with_chunk(&bytes))).await;
    if written.is_ok() {
        end.await;
    }
    // Usually the write fails because the client has disconnected. Close the stream anyway, because the runtime treats
    // a request with an idle open stream as hung.
    if let Err(error) = resolve(Ok(writer.close())).await {
        tracing::debug!(cause = %error, "a refusal was not read to its end");
    }
}
