//! Resumable uploads, by the protocol tus 1.0.

mod costs;
mod interrupted;
mod long_line;
mod protocol;
mod refusals;
mod stock_clients;
mod verdicts;

use anyhow::{Context, Result, ensure};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use contract::paths;
use reqwest::{Method, RequestBuilder};
use tests::{Channel, HttpAnswer, RawUpload, send};

const BYTES: &str = "application/offset+octet-stream";

/// An upload that has begun.
pub(super) struct Upload {
    pub channel: Channel,
    /// The path of its location.
    pub path: String,
}

/// Returns the request that begins an upload of this length with these fields.
pub(super) fn creation(channel: &Channel, length: usize, fields: &[(&str, &str)]) -> RequestBuilder {
    let pairs = fields.iter().map(|(name, text)| format!("{name} {}", STANDARD.encode(text)));
    let request = channel.stack.request(Method::POST, paths::RESUMABLE_UPLOADS).bearer_auth(&channel.key);
    let request = request.header("Tus-Resumable", "1.0.0").header("Upload-Length", length);
    request.header("Upload-Metadata", pairs.collect::<Vec<_>>().join(","))
}

impl Upload {
    pub(super) async fn begin(channel: &Channel, length: usize, fields: &[(&str, &str)]) -> Result<Self> {
        let answer = send(creation(channel, length, fields)).await?;
        ensure!(answer.status == 201 && answer.header("upload-offset") == "0", "{answer:?}");
        Self::at(channel, &answer)
    }

    /// Returns the upload at the location of an answer.
    pub(super) fn at(channel: &Channel, answer: &HttpAnswer) -> Result<Self> {
        let location = answer.header("location");
        let path = location.find(paths::RESUMABLE_UPLOADS).map(|start| location[start..].to_owned());
        let path = path.with_context(|| format!("no location: {answer:?}"))?;
        Ok(Self { channel: channel.clone(), path })
    }

    pub(super) fn request(&self, method: Method) -> RequestBuilder {
        self.channel.stack.request(method, &self.path).header("Tus-Resumable", "1.0.0")
    }

    pub(super) fn appending(&self, offset: usize, bytes: &[u8]) -> RequestBuilder {
        let request = self.request(Method::PATCH).header("Upload-Offset", offset).header("Content-Type", BYTES);
        request.body(bytes.to_vec())
    }

    pub(super) async fn append(&self, offset: usize, bytes: &[u8]) -> Result<HttpAnswer> {
        send(self.appending(offset, bytes)).await
    }

    /// Begins a request over a bare socket that announces this many bytes.
    pub(super) async fn connect(&self, offset: usize, length: usize) -> Result<RawUpload> {
        let address = self.channel.stack.address();
        let head = format!(
            "PATCH {} HTTP/1.1\r\nHost: {address}\r\nTus-Resumable: 1.0.0\r\nUpload-Offset: {offset}\r\n\
             Content-Type: {BYTES}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n",
            self.path
        );
        RawUpload::connect(address, &head).await
    }

    pub(super) async fn head(&self) -> Result<HttpAnswer> {
        send(self.request(Method::HEAD)).await
    }

    /// Returns the current offset of the upload.
    pub(super) async fn offset(&self) -> Result<usize> {
        let answer = self.head().await?;
        ensure!(answer.status == 200, "{answer:?}");
        Ok(answer.header("upload-offset").parse()?)
    }

    /// Fails if the Worker has logged the secret. The local runtime logs every address, but nothing of that is
    /// deployed.
    pub(super) fn ensure_not_logged(&self) -> Result<()> {
        let secret = self.path.rsplit('/').next().unwrap_or_default();
        for logged in self.channel.stack.logged_answers()? {
            ensure!(!logged.to_string().contains(secret), "a location was logged: {logged}");
        }
        Ok(())
    }

    pub(super) async fn end(&self) -> Result<HttpAnswer> {
        send(self.request(Method::DELETE)).await
    }

    /// Fails unless the stored video is this file, bit by bit.
    pub(super) async fn ensure_stored(&self, file: &[u8]) -> Result<()> {
        ensure_stored(&self.channel, file).await
    }
}

/// Fails unless the latest video of the channel is this file, bit by bit.
pub(crate) async fn ensure_stored(channel: &Channel, file: &[u8]) -> Result<()> {
    let select = "SELECT uploads.uuid, size FROM uploads JOIN (SELECT ?1 AS channel, 0 AS size)
         WHERE channel_id = channel AND state = 'committed' ORDER BY uploads.id DESC";
    let row = channel.stack.row(select, channel.account.channel_id)?;
    let key = format!("sources/{}/video", row["uuid"].as_str().context("no upload")?);
    let stored = channel.stack.object_bytes(&key).await?;
    ensure!(stored == file, "{} of {} bytes are stored", stored.len(), file.len());
    Ok(())
}

/// A valid video of this size, which no other test has.
pub(super) fn video(channel: &Channel, bytes: usize) -> Vec<u8> {
    let number = channel.stack.unique();
    fixtures::mp4(5_000, bytes + usize::try_from(number).unwrap_or_default(), number.to_le_bytes()[0])
}
