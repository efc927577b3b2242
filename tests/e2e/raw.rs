//! An upload over a bare socket: what no client library would send, and where it stops.

use crate::channel::Channel;
use anyhow::{Context, Result};
use contract::paths;
use fixtures::Form;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

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
        let length = match content_length {
            Some(length) => format!("Content-Length: {length}"),
            None => "Transfer-Encoding: chunked".to_owned(),
        };
        let head = format!(
            "POST {} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nContent-Type: {}\r\n{length}\r\nConnection: close\r\n\r\n",
            paths::UPLOAD_VIDEO,
            channel.harness.address(),
            channel.key,
            Form::content_type(),
        );
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
