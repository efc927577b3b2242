//! A caller may await between two events, in a future that can move between threads.

use multipart::{Boundary, Caps, FieldText, FormError, FormEvent, Parser};
use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

/// A store that is ready only when it is polled a second time.
async fn store(data: &[u8], stored: &mut Vec<u8>) {
    let mut was_polled = false;
    std::future::poll_fn(|context| {
        if std::mem::replace(&mut was_polled, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
    stored.extend_from_slice(data);
}

async fn receive(mut parser: Parser, chunks: Vec<Vec<u8>>) -> Result<(Vec<u8>, String), FormError> {
    let (mut file, mut caption, mut in_file) = (Vec::new(), FieldText::default(), false);
    for chunk in chunks {
        let mut input = &chunk[..];
        while let Some(event) = parser.next_event(&mut input)? {
            match event {
                FormEvent::PartBegin(head) => in_file = head.name == "content_file",
                FormEvent::Data(data) if in_file => store(data, &mut file).await,
                FormEvent::Data(data) => caption.push(data).expect("a short caption"),
                FormEvent::PartEnd | FormEvent::End => {}
            }
        }
    }
    parser.finish()?;
    Ok((file, caption.into_string().expect("a caption is text")))
}

fn block_on<T>(future: impl Future<Output = T> + Send) -> T {
    let mut future = pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
            return output;
        }
    }
}

#[test]
fn an_event_may_be_held_across_an_await() {
    let boundary = Boundary::from_content_type("multipart/form-data; boundary=xyz").expect("a valid boundary");
    let body = "--xyz\r\nContent-Disposition: form-data; name=caption\r\n\r\nhello\r\n\
        --xyz\r\nContent-Disposition: form-data; name=content_file; filename=a\r\n\r\n\r\n-bytes\r\n--xyz--";
    let chunks = body.as_bytes().chunks(3).map(<[u8]>::to_vec).collect();
    let received = block_on(receive(Parser::new(&boundary, Caps::default()), chunks));
    assert_eq!(received, Ok((b"\r\n-bytes".to_vec(), "hello".to_owned())));
}
