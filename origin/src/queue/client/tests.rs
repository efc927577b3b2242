//! The client against answers that a listener on the loopback address gives byte for byte.

use super::*;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

const TOKEN: &str = "a-token-that-must-not-be-printed";
const MESSAGE: &str = r#"{"success":true,"result":{"message_backlog_count":1,"messages":[{"body":"x","lease_id":"l"}]}}"#;

/// What the listener does after it has read the request.
enum Reply {
    Bytes(Vec<u8>),
    /// Nothing, while the connection stays open.
    Silence,
    /// A body without an end.
    Flood,
}

/// A listener for one request, which it hands over afterwards.
async fn listener(reply: Reply) -> (String, JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}/client/v4/", listener.local_addr().unwrap());
    let served = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let request = request(&mut stream).await;
        match reply {
            Reply::Bytes(bytes) => stream.write_all(&bytes).await.unwrap(),
            // Ends when the client gives up.
            Reply::Silence => drop(stream.read(&mut [0; 1]).await),
            Reply::Flood => flood(&mut stream).await,
        }
        request
    });
    (base, served)
}

async fn request(stream: &mut TcpStream) -> String {
    let mut text = String::new();
    let mut buffer = [0; 4096];
    loop {
        let read = stream.read(&mut buffer).await.unwrap();
        text += &String::from_utf8_lossy(&buffer[..read]);
        let Some((head, body)) = text.split_once("\r\n\r\n") else {
            continue;
        };
        let length = head
            .lines()
            .find_map(|line| line.strip_prefix("content-length: "));
        if body.len() >= length.map_or(0, |length| length.parse().unwrap()) {
            return text;
        }
    }
}

async fn flood(stream: &mut TcpStream) {
    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", 1_u64 << 40);
    let mut chunk = head.into_bytes();
    chunk.resize(1 << 20, b' ');
    while stream.write_all(&chunk).await.is_ok() {}
}

fn response(status: &str, headers: &str, body: &str) -> Reply {
    let length = body.len();
    let text = format!("HTTP/1.1 {status}\r\nContent-Length: {length}\r\n{headers}\r\n{body}");
    Reply::Bytes(text.into_bytes())
}

fn client(base: &str) -> QueueClient {
    client_with(base, Duration::from_secs(20))
}

fn client_with(base: &str, timeout: Duration) -> QueueClient {
    let address = QueueAddress {
        base: base.to_owned(),
        account: "acc".to_owned(),
        queue: "que".to_owned(),
    };
    QueueClient::with_timeout(&address, TOKEN.into(), timeout).unwrap()
}

/// The outcome of one pull that is answered so.
async fn pulled(reply: Reply) -> Result<Batch, QueueError> {
    let (base, _served) = listener(reply).await;
    client(&base).pull(1, Duration::from_secs(1)).await
}

#[tokio::test]
async fn a_pull_asks_as_cloudflare_documents_it_and_stays_within_its_limits() {
    let (base, served) = listener(response("200 OK", "", MESSAGE)).await;
    let batch = client(&base).pull(1_000, Duration::MAX).await.unwrap();
    assert_eq!((batch.deliveries.len(), batch.backlog), (1, Some(1)));
    let request = served.await.unwrap();
    assert!(request.starts_with("POST /client/v4/accounts/acc/queues/que/messages/pull HTTP/1.1"));
    assert!(request.contains(&format!("authorization: Bearer {TOKEN}")));
    assert!(request.ends_with(r#"{"batch_size":100,"visibility_timeout_ms":43200000}"#));
}

#[tokio::test]
async fn settling_names_every_lease_and_rounds_delays_up() {
    let answer = r#"{"success":true,"result":{"ackCount":1,"retryCount":1,"warnings":{}}}"#;
    let (base, served) = listener(response("200 OK", "", answer)).await;
    let [one, two] = ["one", "two"].map(|lease| LeaseId(lease.to_owned()));
    let settled = client(&base)
        .settle(&[one], &[(two, Duration::from_millis(1_001))])
        .await
        .unwrap();
    assert_eq!((settled.acknowledged, settled.returned), (Some(1), Some(1)));
    let request = served.await.unwrap();
    assert!(request.starts_with("POST /client/v4/accounts/acc/queues/que/messages/ack HTTP/1.1"));
    let asked = r#"{"acks":[{"lease_id":"one"}],"retries":[{"delay_seconds":2,"lease_id":"two"}]}"#;
    assert!(request.ends_with(asked), "{request}");
}

#[tokio::test]
async fn settling_nothing_asks_nothing() {
    let settled = client("http://127.0.0.1:1").settle(&[], &[]).await;
    assert_eq!(settled.unwrap(), Settled::default());
}

#[tokio::test]
async fn throttling_is_told_with_the_time_to_wait() {
    let reply = response("429 Too Many Requests", "Retry-After: 7\r\n", "slow down");
    let error = pulled(reply).await.unwrap_err();
    assert_eq!(error.retry_after(), Some(Duration::from_secs(7)));
    let cut = "HTTP/1.1 429 Too Many Requests\r\nRetry-After: 7\r\nContent-Length: 9\r\n\r\nslow";
    let error = pulled(Reply::Bytes(cut.into())).await.unwrap_err();
    assert_eq!(error.retry_after(), Some(Duration::from_secs(7)));
    let reply = response("429 Too Many Requests", "Retry-After: soon\r\n", "");
    let error = pulled(reply).await.unwrap_err();
    assert!(matches!(error, QueueError::Throttled { retry_after: None }));
}

#[tokio::test]
async fn a_refusal_says_what_the_queue_says() {
    let body = r#"{"success":false,"errors":[{"code":10000,"message":"Authentication error"}]}"#;
    for status in [
        "401 Unauthorized",
        "403 Forbidden",
        "404 Not Found",
        "405 Method Not Allowed",
    ] {
        let error = pulled(response(status, "", body)).await.unwrap_err();
        assert!(!error.is_transient(), "{error}");
        assert!(
            error.to_string().contains("Authentication error"),
            "{error}"
        );
    }
}

#[tokio::test]
async fn a_failing_server_is_unavailable() {
    for status in [
        "500 Internal Server Error",
        "502 Bad Gateway",
        "503 Service Unavailable",
    ] {
        let error = pulled(response(status, "", "<html>")).await.unwrap_err();
        assert!(matches!(error, QueueError::Unavailable { .. }), "{error}");
    }
}

#[tokio::test]
async fn a_page_half_an_answer_and_a_redirect_are_unreadable() {
    let page = response("200 OK", "Content-Type: text/html\r\n", "<html></html>");
    let half = response("200 OK", "", &MESSAGE[..MESSAGE.len() / 2]);
    let redirect = response("302 Found", "Location: http://127.0.0.1:1/\r\n", "");
    let empty = response("204 No Content", "", "");
    for reply in [page, half, redirect, empty] {
        let error = pulled(reply).await.unwrap_err();
        assert!(matches!(error, QueueError::Unreadable { .. }), "{error}");
    }
}

#[tokio::test]
async fn an_answer_that_breaks_off_is_no_answer() {
    let cut = format!(
        "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{MESSAGE}",
        MESSAGE.len() + 1
    );
    for bytes in [
        cut.as_str(),
        "HTTP/1.1 200 OK\r\nConte",
        "nonsense\r\n\r\n",
        "",
    ] {
        let error = pulled(Reply::Bytes(bytes.into())).await.unwrap_err();
        assert!(
            matches!(error, QueueError::Unavailable { .. }),
            "{bytes}: {error}"
        );
    }
}

#[tokio::test]
async fn a_queue_that_does_not_answer_is_given_up() {
    let (base, _served) = listener(Reply::Silence).await;
    let client = client_with(&base, Duration::from_millis(50));
    let error = client.pull(1, Duration::ZERO).await.unwrap_err();
    assert!(matches!(error, QueueError::Unavailable { .. }), "{error}");
}

#[tokio::test]
async fn an_answer_without_end_is_given_up_at_its_limit() {
    let (base, served) = listener(Reply::Flood).await;
    let error = client(&base).pull(1, Duration::ZERO).await.unwrap_err();
    assert!(matches!(error, QueueError::Unreadable { .. }), "{error}");
    served.await.unwrap();
}

#[tokio::test]
async fn nobody_there_is_unavailable() {
    let error = client("http://127.0.0.1:1").pull(1, Duration::ZERO).await;
    assert!(matches!(error.unwrap_err(), QueueError::Unavailable { .. }));
}

#[tokio::test]
async fn what_no_request_can_be_made_of_is_a_wrong_configuration() {
    let error = client("no address")
        .pull(1, Duration::ZERO)
        .await
        .unwrap_err();
    assert!(!error.is_transient(), "{error}");
}

#[tokio::test]
async fn the_token_is_never_printed() {
    let client = client("http://127.0.0.1:1");
    let error = client.send("{}", Duration::ZERO).await.unwrap_err();
    let printed = format!("{client:?} {error:?} {error}");
    assert!(!printed.contains(TOKEN), "{printed}");
}
