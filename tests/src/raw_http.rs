//! An upload over a bare socket, to send what no client library would send and to stop anywhere.

use crate::channel::Channel;
use anyhow::{Context, Result, ensure};
use contract::paths;
use fixtures::Form;
use futures_util::future::{join, select};
use std::pin::pin;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// Returns the head of an upload with this many body bytes, or with a chunked body.
pub fn upload_head(channel: &Channel, content_length: Option<usize>) -> String {
    let length = match content_length {
        Some(length) => format!("Content-Length: {length}"),
        None => "Transfer-Encoding: chunked".to_owned(),
    };
    format!(
        "POST {} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nContent-Type: {}\r\n{length}\r\nConnection: close\r\n\r\n",
        paths::UPLOAD_VIDEO,
        channel.stack.address(),
        channel.key,
        Form::content_type(),
    )
}

/// The time limit of an exchange. Every answer takes less.
const LONGEST_EXCHANGE: Duration = Duration::from_mins(1);

/// Sends a request over a connection that may break at any time, and returns the part of the answer that arrived.
pub async fn exchange(address: &str, request: &[u8]) -> Result<String> {
    let mut stream = TcpStream::connect(address).await?;
    let (mut from_worker, mut to_worker) = stream.split();
    let mut answer = Vec::new();
    let sending = to_worker.write_all(request);
    let receiving = from_worker.read_to_end(&mut answer);
    // Errors are expected, because tests break the connection. Only what arrived before counts.
    let _errors = timeout(LONGEST_EXCHANGE, join(sending, receiving))
        .await
        .context("the connection neither brought an answer nor ended")?;
    Ok(String::from_utf8_lossy(&answer).into_owned())
}

/// A connection on which the head of an upload was sent.
#[derive(Debug)]
pub struct RawUpload(TcpStream);

impl RawUpload {
    /// Sends the head of an upload with this many body bytes, or with a chunked body.
    pub async fn start(channel: &Channel, content_length: Option<usize>) -> Result<Self> {
        Self::connect(channel.stack.address(), &upload_head(channel, content_length)).await
    }

    /// Sends the head of any request.
    pub async fn connect(address: &str, head: &str) -> Result<Self> {
        let mut stream = TcpStream::connect(address).await?;
        stream.write_all(head.as_bytes()).await?;
        Ok(Self(stream))
    }

    pub async fn send(&mut self, bytes: &[u8]) -> Result<()> {
        Ok(self.0.write_all(bytes).await?)
    }

    /// Sends bytes as one chunk of a chunked body.
    pub async fn send_chunk(&mut self, bytes: &[u8]) -> Result<()> {
        let head = format!("{:x}\r\n", bytes.len());
        self.send(&[head.as_bytes(), bytes, b"\r\n"].concat()).await
    }

    /// Sends the rest of the body and returns the answer. The answer may arrive before everything is sent, and the
    /// Worker may then close the connection, so errors do not matter.
    pub async fn finish(&mut self, rest: &[u8]) -> Result<String> {
        let (mut from_worker, mut to_worker) = self.0.split();
        let mut answer = Vec::new();
        let exchange = join(to_worker.write_all(rest), from_worker.read_to_end(&mut answer));
        let _errors = timeout(LONGEST_EXCHANGE, exchange).await.context("no answer in time")?;
        Ok(String::from_utf8_lossy(&answer).into_owned())
    }

    /// Sends a piece after each pause until the answer arrives, and returns the answer.
    pub async fn trickle_until_answer(&mut self, piece: &[u8], pause: Duration, longest: Duration) -> Result<String> {
        let (mut from_worker, mut to_worker) = self.0.split();
        let mut answer = Vec::new();
        let trickle = async {
            loop {
                tokio::time::sleep(pause).await;
                // The Worker stops reading once it has answered.
                let _ = to_worker.write_all(piece).await;
            }
        };
        {
            let (reading, trickle) = (pin!(from_worker.read_to_end(&mut answer)), pin!(trickle));
            // A connection that is reset after the answer has still delivered it, so the error does not matter.
            let _ended = timeout(longest, select(reading, trickle)).await.context("no answer in time")?;
        }
        Ok(String::from_utf8_lossy(&answer).into_owned())
    }

    /// Ends the connection with RST, as the system does for a client that is killed.
    pub fn reset(self) -> Result<()> {
        self.0.set_zero_linger()?;
        Ok(())
    }

    /// Returns the answer as text, read by its Content-Length as a client library does. The connection stays open.
    pub async fn answer_by_length(&mut self) -> Result<String> {
        let mut bytes = Vec::new();
        loop {
            let text = String::from_utf8_lossy(&bytes).into_owned();
            if let Some((head, body)) = text.split_once("\r\n\r\n") {
                let head = head.to_lowercase();
                let (_, length) = head.split_once("content-length: ").context("the answer has no length")?;
                let length: usize = length.lines().next().unwrap_or_default().parse()?;
                if body.len() >= length {
                    return Ok(text);
                }
            }
            ensure!(self.0.read_buf(&mut bytes).await? > 0, "the answer ends early: {text}");
        }
    }

    /// Returns the whole answer as text: status line, headers, body.
    pub async fn answer(&mut self) -> Result<String> {
        let mut bytes = Vec::new();
        self.0.read_to_end(&mut bytes).await.context("reading the answer")?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}
