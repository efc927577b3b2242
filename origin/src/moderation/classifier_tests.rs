//! The classifier's client against a real server on the loopback, with every fault.

use super::*;
use crate::http;
use crate::secret::SecretString;
use contract::moderation::verdict;
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

const PASS: &str = r#"{"labels":[{"label":"cat","score":0.9,"verdict":"pass","from_ms":0}]}"#;
const TOKEN: &str = "a-token-that-nobody-may-see";

/// What the server does with one request.
#[derive(Clone, Debug)]
enum Reply {
    Answer(u16, String),
    /// Says that more comes, and ends.
    CutOff,
    /// Ends without a word.
    Close,
    /// Says nothing, for as long as the client waits.
    Silence,
    /// An answer without an end.
    Endless,
    /// Sends the client elsewhere.
    Redirect(String),
}

struct Server {
    url: String,
    requests: Arc<Mutex<Vec<Vec<u8>>>>,
}

impl Server {
    /// Gives the replies in turn; the last one again and again.
    async fn start(replies: Vec<Reply>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/classify", listener.local_addr().unwrap());
        let requests = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&requests);
        tokio::spawn(async move {
            loop {
                let (mut stream, _) = listener.accept().await.unwrap();
                let request = read_request(&mut stream).await;
                let count = {
                    let mut seen = seen.lock().unwrap();
                    seen.push(request);
                    seen.len()
                };
                let reply = replies[(count - 1).min(replies.len() - 1)].clone();
                tokio::spawn(give(stream, reply));
            }
        });
        Self { url, requests }
    }

    fn requests(&self) -> Vec<String> {
        let requests = self.requests.lock().unwrap();
        requests
            .iter()
            .map(|bytes| String::from_utf8_lossy(bytes).into_owned())
            .collect()
    }
}

async fn read_request(stream: &mut TcpStream) -> Vec<u8> {
    let mut request = Vec::new();
    let mut buffer = [0; 4096];
    while !is_whole(&request) {
        let count = stream.read(&mut buffer).await.unwrap();
        if count == 0 {
            break;
        }
        request.extend_from_slice(&buffer[..count]);
    }
    request
}

fn is_whole(request: &[u8]) -> bool {
    let Some(head) = request.windows(4).position(|window| window == b"\r\n\r\n") else {
        return false;
    };
    let text = String::from_utf8_lossy(&request[..head]).to_ascii_lowercase();
    let length = text
        .lines()
        .find_map(|line| line.strip_prefix("content-length: "));
    let length: usize = length.expect("the length of the body").parse().unwrap();
    request.len() == head + 4 + length
}

async fn give(mut stream: TcpStream, reply: Reply) {
    let head = |status: u16, length: usize| {
        format!("HTTP/1.1 {status} Said\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n")
    };
    // The client may have gone already; that is its right.
    let _ = match reply {
        Reply::Answer(status, body) => {
            let text = head(status, body.len()) + &body;
            stream.write_all(text.as_bytes()).await
        }
        Reply::CutOff => stream.write_all((head(200, 1000) + "{").as_bytes()).await,
        Reply::Close => Ok(()),
        Reply::Silence => stream.read_u8().await.map(drop),
        Reply::Redirect(to) => {
            let text = format!(
                "HTTP/1.1 307 Go\r\nconnection: close\r\nlocation: {to}\r\ncontent-length: 0\r\n\r\n"
            );
            stream.write_all(text.as_bytes()).await
        }
        Reply::Endless => {
            let _ = stream.write_all(head(200, usize::MAX / 4).as_bytes()).await;
            while stream.write_all(&[b' '; 4096]).await.is_ok() {}
            Ok(())
        }
    };
}

fn answer(status: u16, body: &str) -> Reply {
    Reply::Answer(status, body.to_owned())
}

async fn ask(url: &str, patience: Patience) -> Vec<Finding> {
    let classifier = Classifier {
        url: url.to_owned(),
        token: Some(SecretString::from(TOKEN)),
    };
    let client = ClassifierClient::new(
        http::builder(Duration::from_secs(30)).build().unwrap(),
        classifier,
        patience,
    );
    let pictures = [0, 500].map(|at_ms| Picture {
        at_ms,
        jpeg: format!("jpeg of {at_ms}").into_bytes(),
    });
    let question = Question {
        content_uuid: "a-content",
        caption: Some("It's a \"cat\"\n#cats"),
        duration_ms: 1000,
        pictures: &pictures,
    };
    client.ask(question).await
}

/// Enough for a busy machine; no pause, so that nothing waits for it.
fn patient() -> Patience {
    Patience {
        attempt: Duration::from_mins(1),
        pause: Duration::ZERO,
    }
}

/// Asks a server with these replies: the findings, and how often it was asked.
async fn asked(replies: Vec<Reply>) -> (Vec<Finding>, usize) {
    let server = Server::start(replies).await;
    let findings = ask(&server.url, patient()).await;
    (findings, server.requests().len())
}

fn assert_waits(findings: &[Finding], why: &str) {
    assert_eq!(findings.len(), 1);
    assert_eq!(
        (findings[0].check, findings[0].verdict),
        (Check::Classifier, Verdict::Wait)
    );
    let note = findings[0].note.as_deref().unwrap();
    assert_eq!(note, format!("the classifier gave no verdict: {why}"));
    assert!(!note.contains(TOKEN));
}

#[tokio::test]
async fn an_answer_becomes_findings() {
    let (findings, count) = asked(vec![answer(200, PASS)]).await;
    assert_eq!((verdict(&findings), count), (Verdict::Pass, 1));
    assert_eq!(findings[0].note.as_deref(), Some("cat"));
}

#[tokio::test]
async fn the_classifier_gets_the_token_the_content_and_every_frame() {
    let server = Server::start(vec![answer(200, PASS)]).await;
    ask(&server.url, patient()).await;
    let request = server.requests().remove(0);
    assert!(request.starts_with("POST /classify HTTP/1.1\r\n"));
    assert!(request.contains(&format!("authorization: Bearer {TOKEN}\r\n")));
    let json = request.lines().find(|line| line.starts_with('{')).unwrap();
    let expected = serde_json::json!({
        "version": 1, "content_uuid": "a-content", "caption": "It's a \"cat\"\n#cats",
        "duration_ms": 1000, "frames_at_ms": [0, 500],
    });
    assert_eq!(
        serde_json::from_str::<serde_json::Value>(json).unwrap(),
        expected
    );
    assert_eq!(request.matches("name=\"frame\"").count(), 2);
    assert!(request.contains("jpeg of 0") && request.contains("jpeg of 500"));
}

#[tokio::test]
async fn what_may_pass_is_tried_again_three_times_in_all() {
    for fault in [
        answer(500, ""),
        answer(503, ""),
        answer(429, ""),
        answer(408, ""),
        Reply::Close,
        Reply::CutOff,
    ] {
        let healed = vec![fault.clone(), fault.clone(), answer(200, PASS)];
        let (findings, count) = asked(healed).await;
        assert_eq!((verdict(&findings), count), (Verdict::Pass, 3), "{fault:?}");
        let (findings, count) = asked(vec![fault.clone()]).await;
        assert_eq!((verdict(&findings), count), (Verdict::Wait, 3), "{fault:?}");
    }
}

#[tokio::test]
async fn a_refusal_is_never_tried_again() {
    for status in [400, 401, 403, 404, 413, 422, 204] {
        let (findings, count) = asked(vec![answer(status, "")]).await;
        assert_waits(&findings, &format!("it answered with status {status}"));
        assert_eq!(count, 1);
    }
}

#[tokio::test]
async fn a_malformed_answer_makes_the_content_wait() {
    let (findings, count) = asked(vec![answer(200, "<html>")]).await;
    assert_waits(&findings, "its answer is malformed at line 1, column 1");
    assert_eq!(count, 1);
}

#[tokio::test]
async fn an_answer_without_an_end_is_broken_off() {
    let (findings, count) = asked(vec![Reply::Endless]).await;
    assert_waits(&findings, "its answer is too long");
    assert_eq!(count, 1);
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let elsewhere = Server::start(vec![answer(200, PASS)]).await;
    let (findings, _) = asked(vec![Reply::Redirect(elsewhere.url.clone())]).await;
    assert_waits(&findings, "it answered with status 307");
    assert!(elsewhere.requests().is_empty());
}

#[tokio::test]
async fn silence_ends_with_the_time_limit() {
    let server = Server::start(vec![Reply::Silence]).await;
    let hasty = Patience {
        attempt: Duration::from_millis(100),
        pause: Duration::ZERO,
    };
    assert_waits(&ask(&server.url, hasty).await, "it did not answer in time");
}

#[tokio::test]
async fn where_nobody_listens_the_content_waits() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!(
        "http://user:{TOKEN}@{}/?key={TOKEN}",
        listener.local_addr().unwrap()
    );
    drop(listener);
    assert_waits(&ask(&url, patient()).await, "it cannot be reached");
    let findings = ask(&format!("http://{TOKEN}:not-a-port/"), patient()).await;
    assert_waits(&findings, "its address is not valid");
}

#[test]
fn the_client_prints_no_token() {
    let classifier = Classifier {
        url: "http://127.0.0.1/".to_owned(),
        token: Some(SecretString::from(TOKEN)),
    };
    let client = ClassifierClient::new(
        http::builder(Duration::from_secs(30)).build().unwrap(),
        classifier,
        patient(),
    );
    assert!(!format!("{client:?}").contains(TOKEN));
}
