//! Reads the first field of a form before the caller is known, because a page without a script can send its one-time
//! token only there.

use axum::body::{Body, BodyDataStream, Bytes};
use futures_util::future::{Either, select};
use futures_util::{StreamExt, stream};
use multipart::{Boundary, Caps, FormEvent, Parser};
use std::pin::pin;
use std::time::Duration;
use worker::Delay;
use worker::send::SendFuture;

/// The first field must arrive within this time.
const READ_SECONDS: u64 = 10;
/// A browser sends the boundary, the headers of the field and its value in a few hundred bytes.
const MAX_BYTES: usize = 8 * 1024;

/// Returns the value of the first field if it has this name and is text of at most `max_bytes`, and the whole body.
pub(super) async fn first_field(
    boundary: &Boundary,
    name: &str,
    max_bytes: usize,
    mut body: BodyDataStream,
) -> (Option<String>, BodyDataStream) {
    let mut seen = Vec::new();
    let value = SendFuture::new(async {
        let reading = read(boundary, (name, max_bytes), &mut body, &mut seen);
        match select(pin!(reading), pin!(Delay::from(Duration::from_secs(READ_SECONDS)))).await {
            Either::Left((value, _)) => value,
            Either::Right(_) => None,
        }
    })
    .await;
    let seen = stream::iter(seen.into_iter().map(Ok::<Bytes, axum::Error>));
    (value, Body::from_stream(seen.chain(body)).into_data_stream())
}

/// Reads chunks until the first field has ended, and keeps them.
async fn read(
    boundary: &Boundary,
    (name, max_bytes): (&str, usize),
    body: &mut BodyDataStream,
    seen: &mut Vec<Bytes>,
) -> Option<String> {
    let (mut parser, mut value, mut received) = (Parser::new(boundary, Caps::default()), Vec::new(), 0);
    while received <= MAX_BYTES {
        let chunk = body.next().await?.ok()?;
        received += chunk.len();
        seen.push(chunk.clone());
        let mut bytes = chunk.as_ref();
        while let Some(event) = parser.next_event(&mut bytes).ok()? {
            match event {
                FormEvent::PartBegin(head) if head.name == name => {}
                FormEvent::Data(data) if value.len() + data.len() <= max_bytes => value.extend_from_slice(data),
                FormEvent::PartEnd => return String::from_utf8(value).ok(),
                FormEvent::PartBegin(_) | FormEvent::Data(_) | FormEvent::End => return None,
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_executor::block_on;

    /// Reads the field `token` of a form that arrives in chunks of this size, and the whole body again.
    fn read_in_chunks(form: &str, size: usize) -> (Option<String>, Vec<u8>) {
        let boundary = Boundary::from_content_type("multipart/form-data; boundary=b").unwrap();
        let chunks: Vec<_> =
            form.as_bytes().chunks(size).map(Bytes::copy_from_slice).map(Ok::<_, axum::Error>).collect();
        let mut body = Body::from_stream(stream::iter(chunks)).into_data_stream();
        let mut seen = Vec::new();
        let value = block_on(read(&boundary, ("token", 8), &mut body, &mut seen));
        let rest: Vec<_> = block_on(body.map(Result::unwrap).collect());
        (value, seen.into_iter().chain(rest).flatten().collect())
    }

    fn form(name: &str, value: &str) -> String {
        format!("--b\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n--b--\r\n")
    }

    #[test]
    fn the_first_field_is_read_and_the_body_stays_whole() {
        for size in [1, 7, 1_000] {
            let whole = form("token", "abc");
            assert_eq!(read_in_chunks(&whole, size), (Some("abc".to_owned()), whole.clone().into_bytes()));
        }
    }

    #[test]
    fn another_field_a_long_value_and_garbage_are_no_token() {
        let endless = form("token", &"x".repeat(20_000));
        for other in [form("file", "abc"), form("token", "too long!"), endless, "garbage".repeat(3_000), String::new()]
        {
            let (value, body) = read_in_chunks(&other, 100);
            assert!(value.is_none() && body == other.as_bytes());
        }
    }
}
