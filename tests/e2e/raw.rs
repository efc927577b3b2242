//! An upload over a bare socket: what no client library would send, and where it stops.

use crate::channel::Channel;
use anyhow::{Context, Result};
use contract::paths;
use fixtures::Form;
use futures_util::future::join;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// The head of an upload whose body will have so many bytes, or comes in chunks.
pub fn head(channel: &Channel, content_length: Option<usize>) -> String {
    let length = match content_length {
        Some(length) => format!("Content-Length: {length}"),
        None => "Transfer-Encoding: chunked".to_owned(),
    };
    format!(
        "POST {} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nContent-Type: {}\r\n{length}\r\nConnection: close\r\n\r\n",
        paths::UPLOAD_VIDEO,
        channel.harness.address(),
        channel.key,
        Form::content_type(),
    )
}

/// Longer than any answer takes.
const LONGEST_EXCHANGE: Duration = Duration::from_mins(1);

/// Sends a request over a connection that may break at any time, and tells what came back of an answer.
pub async fn exchange(address: &str, request: &[u8]) -> Result<String> {
    let mut stream = TcpStream::connect(address).await?;
    let (mut from_worker, mut to_worker) = stream.split();
    let mut answer = Vec::new();
    let sending = to_worker.write_all(request);
    let receiving = from_worker.read_to_end(&mut answer);
    // That it breaks is what is tried: what counts is what had come by then.
    let _broken_or_not = timeout(LONGEST_EXCHANGE, join(sending, receiving))
        .await
        .context("the connection neither brought an answer nor ended")?;
    Ok(String::from_utf8_lossy(&answer).into_owned())
}

/// A connection on which the head of an upload was sent.
pub struct RawUpload(TcpStream);

impl RawUpload {
    /// Sends the head of an upload whose body will have so many bytes, or comes in chunks.
    pub async fn start(channel: &Channel, content_length: Option<usize>) -> Result<Self> {
        Self::start_at(channel, channel.harness.address(), content_length).await
    }

    /// The same through another address, such as a proxy's.
    pub async fn start_at(
        channel: &Channel,
        address: &str,
        content_length: Option<usize>,
    ) -> Result<Self> {
        let mut stream = TcpStream::connect(address).await?;
        let head = head(channel, content_length);
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

    /// Ends the connection at once, as a client that is killed does.
    pub fn reset(self) -> Result<()> {
        self.0.set_zero_linger()?;
        Ok(())
    }

    /// The whole answer as text: status line, headers, body.
    pub async fn answer(&mut self) -> Result<String> {
        let mut bytes = Vec::new();
        self.0
            .read_to_end(&mut bytes)
            .await
            .context("reading the answer")?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}
