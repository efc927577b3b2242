//! A refusal that comes while its client is still sending.
//!
//! The answer is sent at once, but its end is held back until the client has sent the rest or fallen silent: a
//! connection that is closed with bytes on their way is reset, and the client loses the answer with it.

use axum::body::{Body, BodyDataStream, Bytes};
use axum::http::Response;
use futures_util::future::{Either, ready, select};
use futures_util::{StreamExt, stream};
use std::convert::Infallible;
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use worker::Delay;
use worker::send::SendFuture;

/// A client that sends nothing for so long has read the answer, or never will. Longer than a network that loses a
/// packet is silent; one that stops sending by itself waits so long for the end of an answer whose text it has.
const SILENCE: Duration = Duration::from_secs(2);

/// The rest of a refused request's body, on its way with the response to where it is sent.
#[derive(Clone)]
pub struct Unread(Arc<Mutex<Option<BodyDataStream>>>);

impl Unread {
    pub fn new(body: BodyDataStream) -> Self {
        Self(Arc::new(Mutex::new(Some(body))))
    }
}

/// Holds the response open while the rest of the request arrives, if there is one.
pub fn hold_open(mut response: Response<Body>) -> Response<Body> {
    let unread = response.extensions_mut().remove::<Unread>();
    let rest =
        unread.and_then(|Unread(body)| body.lock().unwrap_or_else(PoisonError::into_inner).take());
    let Some(rest) = rest else {
        return response;
    };
    response.map(|answer| {
        let end = SendFuture::new(async move {
            discard(rest).await;
            Ok::<_, Infallible>(Bytes::new())
        });
        let whole = answer
            .into_data_stream()
            .filter_map(|chunk| ready(chunk.ok().map(Ok)));
        Body::from_stream(whole.chain(stream::once(end)))
    })
}

/// Reads to the end, or until nothing comes any more. The platform bounds how much can come.
async fn discard(mut body: BodyDataStream) {
    loop {
        match select(pin!(body.next()), pin!(Delay::from(SILENCE))).await {
            Either::Left((Some(Ok(_)), _)) => {}
            Either::Left(_) | Either::Right(_) => return,
        }
    }
}
