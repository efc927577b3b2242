//! The client against answers that a listener on the loopback address sends byte by byte.

use super::*;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

const TOKEN: &str = "a-token-that-must-not-be-printed";
const MESSAGE: &str =
    r#"{"success":true,"result":{"message_backlog_count":1,"messages":[{"body":"x","lease_id":"l"}]}}"#;

/// The listener's reply to a request.
enum RawReply {
    Bytes(Vec<u8>),
    /// Sends nothing and keeps the connection open.
    Silence,
    /// Sends a body without an end.
    Flood,
}

/// Starts a listener for one request. The task returns the request.
async fn serve_once(reply: RawReply) -> (String, JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}/client/v4/", listener.local_addr().unwrap());
    let served = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let request = read_request(&mut stream).await;
        match reply {
            RawReply::Bytes(bytes) => stream.write_all(&bytes).await.unwrap(),
            // Ends when the client disconnects.
            RawReply::Silence => drop(stream.read(&mut [0; 1]).await),
            RawReply::Flood => flood(&mut stream).await,
        }
        request
    });
    (base, served)
}

async fn read_request(stream: &mut TcpStream) -> String {
    let mut text = String::new();
    let mut buffer = [0; 4096];
    loop {
        let read = stream.read(&mut buffer).await.unwrap();
        text += &String::from_utf8_lossy(&buffer[..read]);
        let Some((head, body)) = text.split_once("\r\n\r\n") else {
            continue;
        };
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
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

fn response(status: &str, headers: &str, body: &str) -> RawReply {
    let length = body.len();
    let text = format!("HTTP/1.1 {status}\r\nContent-Length: {length}\r\n{headers}\r\n{body}");
    RawReply::Bytes(text.into_bytes())
}

fn client(base: &str) -> QueueClient {
    client_with_timeout(base, Duration::from_secs(20))
}

fn client_with_timeout(base: &str, timeout: Duration) -> QueueClient {
    let address = QueueAddress { base: base.to_owned(), account: "acc".to_owned(), queue: "que".to_owned() };
    QueueClient::with_timeout(&address, TOKEN.into(), timeout).unwrap()
}

/// Pulls once from a listener that sends this reply.
async fn pull_from(reply: RawReply) -> Result<MessageBatch, QueueError> {
    let (base, _served) = serve_once(reply).await;
    client(&base).pull(1, Duration::from_secs(1)).await
}

#[tokio::test]
async fn a_pull_request_has_the_documented_form_and_respects_the_limits() {
    let (base, served) = serve_once(response("200 OK", "", MESSAGE)).await;
    let batch = client(&base).pull(1_000, Duration::MAX).await.unwrap();
    assert_eq!((batch.messages.len(), batch.backlog), (1, Some(1)));
    let request = served.await.unwrap();
    assert!(request.starts_with("POST /client/v4/accounts/acc/queues/que/messages/pull HTTP/1.1"));
    assert!(request.contains(&format!("authorization: Bearer {TOKEN}")));
    assert!(request.ends_with(r#"{"batch_size":100,"visibility_timeout_ms":43200000}"#));
}

#[tokio::test]
async fn a_settle_request_names_every_lease_and_rounds_delays_up() {
    let answer = r#"{"success":true,"result":{"ackCount":1,"retryCount":1,"warnings":{}}}"#;
    let (base, served) = serve_once(response("200 OK", "", answer)).await;
    let [one, two] = ["one", "two"].map(|lease| LeaseId(lease.to_owned()));
    let summary = client(&base).settle(&[one], &[(two, Duration::from_millis(1_001))]).await.unwrap();
    assert_eq!((summary.acknowledged, summary.returned), (Some(1), Some(1)));
    let request = served.await.unwrap();
    assert!(request.starts_with("POST /client/v4/accounts/acc/queues/que/messages/ack HTTP/1.1"));
    let expected = r#"{"acks":[{"lease_id":"one"}],"retries":[{"delay_seconds":2,"lease_id":"two"}]}"#;
    assert!(request.ends_with(expected), "{request}");
}

#[tokio::test]
async fn settling_nothing_sends_no_request() {
    let summary = client("http://127.0.0.1:1").settle(&[], &[]).await;
    assert_eq!(summary.unwrap(), SettleSummary::default());
}

#[tokio::test]
async fn a_throttling_error_holds_the_time_to_wait() {
    let reply = response("429 Too Many Requests", "Retry-After: 7\r\n", "slow down");
    let error = pull_from(reply).await.unwrap_err();
    assert_eq!(error.retry_after(), Some(Duration::from_secs(7)));
    let cut = "HTTP/1.1 429 Too Many Requests\r\nRetry-After: 7\r\nContent-Length: 9\r\n\r\nslow";
    let error = pull_from(RawReply::Bytes(cut.into())).await.unwrap_err();
    assert_eq!(error.retry_after(), Some(Duration::from_secs(7)));
    let reply = response("429 Too Many Requests", "Retry-After: soon\r\n", "");
    let error = pull_from(reply).await.unwrap_err();
    assert!(matches!(error, QueueError::Throttled { retry_after: None }));
}

#[tokio::test]
async fn a_rejection_quotes_the_reason_of_the_queue() {
    let body = r#"{"success":false,"errors":[{"code":10000,"message":"Authentication error"}]}"#;
    for status in ["401 Unauthorized", "403 Forbidden", "404 Not Found", "405 Method Not Allowed"] {
        let error = pull_from(response(status, "", body)).await.unwrap_err();
        assert!(!error.is_transient(), "{error}");
        assert!(error.to_string().contains("Authentication error"), "{error}");
    }
}

#[tokio::test]
async fn a_server_error_means_unavailable() {
    for status in ["500 Internal Server Error", "502 Bad Gateway", "503 Service Unavailable"] {
        let error = pull_from(response(status, "", "<html>")).await.unwrap_err();
        assert!(matches!(error, QueueError::Unavailable { .. }), "{error}");
    }
}

#[tokio::test]
async fn html_truncated_json_a_redirect_and_an_empty_answer_are_unreadable() {
    let page = response("200 OK", "Content-Type: text/html\r\n", "<html></html>");
    let half = response("200 OK", "", &MESSAGE[..MESSAGE.len() / 2]);
    let redirect = response("302 Found", "Location: http://127.0.0.1:1/\r\n", "");
    let empty = response("204 No Content", "", "");
    for reply in [page, half, redirect, empty] {
        let error = pull_from(reply).await.unwrap_err();
        assert!(matches!(error, QueueError::Unreadable { .. }), "{error}");
    }
}

#[tokio::test]
async fn an_answer_cut_off_by_the_connection_means_unavailable() {
    let cut = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{MESSAGE}", MESSAGE.len() + 1);
    for bytes in [cut.as_str(), "HTTP/1.1 200 OK\r\nConte", "nonsense\r\n\r\n", ""] {
        let error = pull_from(RawReply::Bytes(bytes.into())).await.unwrap_err();
        assert!(matches!(error, QueueError::Unavailable { .. }), "{bytes}: {error}");
    }
}

#[tokio::test]
async fn a_queue_that_does_not_answer_times_out() {
    let (base, _served) = serve_once(RawReply::Silence).await;
    let client = client_with_timeout(&base, Duration::from_millis(50));
    let error = client.pull(1, Duration::ZERO).await.unwrap_err();
    assert!(matches!(error, QueueError::Unavailable { .. }), "{error}");
}

#[tokio::test]
async fn an_endless_answer_is_cut_off_at_the_limit() {
    let (base, served) = serve_once(RawReply::Flood).await;
    let error = client(&base).pull(1, Duration::ZERO).await.unwrap_err();
    assert!(matches!(error, QueueError::Unreadable { .. }), "{error}");
    served.await.unwrap();
}

#[tokio::test]
async fn an_unreachable_queue_is_unavailable() {
    let error = client("http://127.0.0.1:1").pull(1, Duration::ZERO).await;
    assert!(matches!(error.unwrap_err(), QueueError::Unavailable { .. }));
}

#[tokio::test]
async fn an_invalid_address_is_a_configuration_error() {
    let error = client("no address").pull(1, Duration::ZERO).await.unwrap_err();
    assert!(!error.is_transient(), "{error}");
}

#[tokio::test]
async fn neither_the_client_nor_its_errors_print_the_token() {
    let client = client("http://127.0.0.1:1");
    let error = client.send("{}", Duration::ZERO).await.unwrap_err();
    let printed = format!("{client:?} {error:?} {error}");
    assert!(!printed.contains(TOKEN), "{printed}");
}
