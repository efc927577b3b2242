//! The classifier client against a real server on the loopback address, with every fault.

use super::*;
use crate::clients::http;
use contract::moderation::strictest_recommendation;
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

const PASS: &str = r#"{"labels":[{"label":"cat","score":0.9,"recommendation":"pass","from_ms":0}]}"#;
const TOKEN: &str = "a-token-that-nobody-may-see";

/// The server's reply to one request.
#[derive(Clone, Debug)]
enum FaultyReply {
    Answer(u16, String),
    /// Announces a longer body than it sends.
    Truncated,
    /// Closes the connection without an answer.
    Close,
    /// Sends nothing until the client disconnects.
    Silence,
    /// Sends a body without an end.
    Endless,
    /// Redirects to this URL.
    Redirect(String),
}

struct FaultyServer {
    url: String,
    requests: Arc<Mutex<Vec<Vec<u8>>>>,
}

impl FaultyServer {
    /// Answers with the replies in order, and repeats the last one.
    async fn start(replies: Vec<FaultyReply>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/classify", listener.local_addr().unwrap());
        let requests = Arc::new(Mutex::new(Vec::new()));
        let recorded = Arc::clone(&requests);
        tokio::spawn(async move {
            loop {
                let (mut stream, _) = listener.accept().await.unwrap();
                let request = read_request(&mut stream).await;
                let count = {
                    let mut recorded = recorded.lock().unwrap();
                    recorded.push(request);
                    recorded.len()
                };
                let reply = replies[(count - 1).min(replies.len() - 1)].clone();
                tokio::spawn(send_reply(stream, reply));
            }
        });
        Self { url, requests }
    }

    fn requests(&self) -> Vec<String> {
        let requests = self.requests.lock().unwrap();
        requests.iter().map(|bytes| String::from_utf8_lossy(bytes).into_owned()).collect()
    }
}

async fn read_request(stream: &mut TcpStream) -> Vec<u8> {
    let mut request = Vec::new();
    let mut buffer = [0; 4096];
    while !is_complete(&request) {
        let count = stream.read(&mut buffer).await.unwrap();
        if count == 0 {
            break;
        }
        request.extend_from_slice(&buffer[..count]);
    }
    request
}

fn is_complete(request: &[u8]) -> bool {
    let Some(head) = request.windows(4).position(|window| window == b"\r\n\r\n") else {
        return false;
    };
    let text = String::from_utf8_lossy(&request[..head]).to_ascii_lowercase();
    let length = text.lines().find_map(|line| line.strip_prefix("content-length: "));
    let length: usize = length.expect("the request has a content-length").parse().unwrap();
    request.len() == head + 4 + length
}

async fn send_reply(mut stream: TcpStream, reply: FaultyReply) {
    let head = |status: u16, length: usize| {
        format!("HTTP/1.1 {status} Reason\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n")
    };
    // The client may have disconnected already, which is not an error of the test.
    let _ = match reply {
        FaultyReply::Answer(status, body) => {
            let text = head(status, body.len()) + &body;
            stream.write_all(text.as_bytes()).await
        }
        FaultyReply::Truncated => stream.write_all((head(200, 1000) + "{").as_bytes()).await,
        FaultyReply::Close => Ok(()),
        FaultyReply::Silence => stream.read_u8().await.map(drop),
        FaultyReply::Redirect(to) => {
            let text = format!("HTTP/1.1 307 Go\r\nconnection: close\r\nlocation: {to}\r\ncontent-length: 0\r\n\r\n");
            stream.write_all(text.as_bytes()).await
        }
        FaultyReply::Endless => {
            let _ = stream.write_all(head(200, usize::MAX / 4).as_bytes()).await;
            while stream.write_all(&[b' '; 4096]).await.is_ok() {}
            Ok(())
        }
    };
}

fn answer(status: u16, body: &str) -> FaultyReply {
    FaultyReply::Answer(status, body.to_owned())
}

fn client(url: &str, timing: RetryTiming) -> ClassifierClient {
    let settings = ClassifierSettings { url: url.to_owned(), token: Some(SecretString::from(TOKEN)) };
    ClassifierClient::new(http::client_builder(Duration::from_secs(30)).build().unwrap(), settings, timing)
}

async fn classify(url: &str, timing: RetryTiming) -> Vec<Finding> {
    let images = [0, 500].map(|at_ms| FrameImage { at_ms, jpeg: format!("jpeg of {at_ms}").into_bytes() });
    let request = ClassifierRequest {
        content_uuid: "a-content",
        caption: Some("It's a \"cat\"\n#cats"),
        summary: Some("It meows."),
        subtitles: "Meow\n",
        duration_ms: 1000,
        sound: Some(b"the sound"),
        images: &images,
    };
    client(url, timing).classify(request).await
}

/// Times out late enough for a busy machine, and does not pause between attempts.
fn without_pauses() -> RetryTiming {
    RetryTiming { attempt_timeout: Duration::from_mins(1), first_pause: Duration::ZERO }
}

/// Classifies with a server that gives these replies. Returns the findings and the number of requests.
async fn classify_with(replies: Vec<FaultyReply>) -> (Vec<Finding>, usize) {
    let server = FaultyServer::start(replies).await;
    let findings = classify(&server.url, without_pauses()).await;
    (findings, server.requests().len())
}

fn assert_waits(findings: &[Finding], reason: &str) {
    assert_eq!(findings.len(), 1);
    assert_eq!((findings[0].check, findings[0].recommendation), (Check::Classifier, Recommendation::Wait));
    let note = findings[0].note.as_deref().unwrap();
    assert_eq!(note, format!("the classifier gave no valid answer: {reason}"));
    assert!(!note.contains(TOKEN));
}

#[tokio::test]
async fn an_answer_becomes_findings() {
    let (findings, requests) = classify_with(vec![answer(200, PASS)]).await;
    assert_eq!((strictest_recommendation(&findings), requests), (Recommendation::Pass, 1));
    assert_eq!(findings[0].note.as_deref(), Some("cat"));
}

#[tokio::test]
async fn the_classifier_receives_the_token_the_content_and_every_frame() {
    let server = FaultyServer::start(vec![answer(200, PASS)]).await;
    classify(&server.url, without_pauses()).await;
    let request = server.requests().remove(0);
    assert!(request.starts_with("POST /classify HTTP/1.1\r\n"));
    assert!(request.contains(&format!("authorization: Bearer {TOKEN}\r\n")));
    let json = request.lines().find(|line| line.starts_with('{')).unwrap();
    let expected = serde_json::json!({
        "version": 1, "content_uuid": "a-content", "caption": "It's a \"cat\"\n#cats", "summary": "It meows.", "subtitles": "Meow\n",
        "duration_ms": 1000, "frames_at_ms": [0, 500],
    });
    assert_eq!(serde_json::from_str::<serde_json::Value>(json).unwrap(), expected);
    let sound = "name=\"sound\"; filename=\"sound.mp4\"\r\nContent-Type: audio/mp4\r\n\r\nthe sound\r\n";
    assert_eq!(request.matches(sound).count(), 1);
    assert_eq!(request.matches("name=\"frame\"").count(), 2);
    assert!(request.contains("jpeg of 0") && request.contains("jpeg of 500"));
}

#[tokio::test]
async fn a_transient_failure_is_retried_up_to_three_attempts() {
    let faults = [
        answer(500, ""),
        answer(503, ""),
        answer(429, ""),
        answer(408, ""),
        FaultyReply::Close,
        FaultyReply::Truncated,
    ];
    for fault in faults {
        let recovering = vec![fault.clone(), fault.clone(), answer(200, PASS)];
        let (findings, requests) = classify_with(recovering).await;
        assert_eq!((strictest_recommendation(&findings), requests), (Recommendation::Pass, 3), "{fault:?}");
        let (findings, requests) = classify_with(vec![fault.clone()]).await;
        assert_eq!((strictest_recommendation(&findings), requests), (Recommendation::Wait, 3), "{fault:?}");
    }
}

#[tokio::test]
async fn a_rejected_request_is_not_retried() {
    for status in [400, 401, 403, 404, 413, 422, 204] {
        let (findings, requests) = classify_with(vec![answer(status, "")]).await;
        assert_waits(&findings, &format!("status {status}"));
        assert_eq!(requests, 1);
    }
}

#[tokio::test]
async fn a_malformed_answer_makes_the_video_wait() {
    let (findings, requests) = classify_with(vec![answer(200, "<html>")]).await;
    assert_waits(&findings, "the answer is malformed at line 1, column 1");
    assert_eq!(requests, 1);
}

#[tokio::test]
async fn an_endless_answer_is_cut_off() {
    let (findings, requests) = classify_with(vec![FaultyReply::Endless]).await;
    assert_waits(&findings, "the answer is too long");
    assert_eq!(requests, 1);
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let target = FaultyServer::start(vec![answer(200, PASS)]).await;
    let (findings, _) = classify_with(vec![FaultyReply::Redirect(target.url.clone())]).await;
    assert_waits(&findings, "status 307");
    assert!(target.requests().is_empty());
}

#[tokio::test]
async fn a_classifier_that_does_not_answer_times_out() {
    let server = FaultyServer::start(vec![FaultyReply::Silence]).await;
    let timing = RetryTiming { attempt_timeout: Duration::from_millis(50), first_pause: Duration::ZERO };
    assert_waits(&classify(&server.url, timing).await, "it timed out");
}

#[tokio::test]
async fn an_unreachable_or_invalid_url_makes_the_video_wait() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://user:{TOKEN}@{}/?key={TOKEN}", listener.local_addr().unwrap());
    drop(listener);
    assert_waits(&classify(&url, without_pauses()).await, "it is unreachable");
    let findings = classify(&format!("http://{TOKEN}:not-a-port/"), without_pauses()).await;
    assert_waits(&findings, "the URL is invalid");
}

#[test]
fn debug_output_does_not_contain_the_token() {
    let client = client("http://127.0.0.1/", without_pauses());
    assert!(!format!("{client:?}").contains(TOKEN));
}
