//! Clients that know nothing about this service, each over a connection that breaks all the time. The clients of web
//! pages are in `tests/browser/resumable_uploads.rs`.

use super::video;
use anyhow::{Context, Result, bail, ensure};
use contract::paths;
use reqwest::{Client, Method};
use std::collections::HashMap;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::Arc;
use tests::{
    Channel, ChannelRows, ConnectionFaults, FaultyNetwork, NetworkFault, TestStack, documented_program, e2e, project,
};
use tokio::process::Command;
use tokio::runtime::Handle;
use tus_client::http::{HttpHandler, HttpRequest, HttpResponse};

/// The bytes after which each connection breaks.
const CUT_AFTER: usize = 9_000_000;
/// The bytes of one request: more than a connection carries.
const CHUNK: usize = 16 * 1024 * 1024;
const FILE: usize = 40_000_000;
const CAPTION: &str = "By a stock client: Grüße, 世界";
const DOCUMENTED_CAPTION: &str = "My first video #fun";
/// A client that loses a part with each connection needs fewer. A client that starts again at the beginning needs more.
const MOST_BROKEN: u64 = 20;

/// A file, and a connection that breaks.
pub(super) struct Line {
    pub channel: Channel,
    pub file: Vec<u8>,
    path: PathBuf,
    pub network: FaultyNetwork,
}

impl Line {
    /// Breaks each connection after some bytes.
    async fn breaking(stack: &Arc<TestStack>, client: &str) -> Result<Self> {
        let faults =
            || ConnectionFaults { request: vec![(CUT_AFTER, NetworkFault::Reset)], ..ConnectionFaults::default() };
        let channel = Channel::new(stack).await?;
        let file = video(&channel, FILE);
        Self::new(channel, client, file, faults).await
    }

    pub(super) async fn new(
        channel: Channel,
        client: &str,
        file: Vec<u8>,
        faults: impl FnMut() -> ConnectionFaults + Send + 'static,
    ) -> Result<Self> {
        let path = channel.stack.folder().join(format!("{client}.mp4"));
        std::fs::write(&path, &file)?;
        let network = FaultyNetwork::to_each(channel.stack.address(), faults).await?;
        Ok(Self { channel, file, path, network })
    }

    fn base(&self) -> String {
        format!("http://{}", self.network.address)
    }

    /// Runs a program that reads its task from the environment. Returns `None` if it is not installed.
    async fn run(&self, mut command: Command) -> Result<Option<String>> {
        command.stdin(Stdio::null()).env("CLIPGATE", self.base()).env("API_KEY", &self.channel.key);
        let Ok(output) = command.output().await else {
            return Ok(None);
        };
        let errors = String::from_utf8_lossy(&output.stderr);
        if errors.contains("No module named") {
            return Ok(None);
        }
        ensure!(output.status.success(), "the client failed: {errors}");
        Ok(Some(String::from_utf8_lossy(&output.stdout).trim().to_owned()))
    }

    /// Uploads the file with the documented program, which uses tus-js-client, and returns the id of the video.
    pub(super) async fn run_tus_js_client(&self) -> Result<String> {
        let (folder, modules) = (tempfile::tempdir()?, project().canonicalize()?.join("node_modules"));
        std::os::unix::fs::symlink(&self.path, folder.path().join("clip.mp4"))?;
        std::os::unix::fs::symlink(&modules, folder.path().join("node_modules"))?;
        let program = documented_program("publish/large-files.md", "js")?;
        let mut command = Command::new(modules.join(".bin/node"));
        command.args(["--input-type=module", "--eval", &program]).current_dir(&folder);
        self.run(command).await?.context("Node.js is not installed")
    }

    /// Fails unless the channel has this video, which came although the connection broke.
    fn ensure_arrived(&self, uuid: &str, caption: &str) -> Result<()> {
        let select = "SELECT uuid, caption, file_sha256 FROM contents WHERE channel_id = ?1";
        let content = self.channel.stack.row(select, self.channel.account.channel_id)?;
        ensure!(content["uuid"] == uuid && content["caption"] == caption, "{content:?}");
        ensure!(content["file_sha256"] == tests::sha256(&self.file), "{content:?}");
        let broken = self.network.counts.broken();
        let least = u64::try_from(FILE / CUT_AFTER)?;
        ensure!((least..=MOST_BROKEN).contains(&broken), "{broken} broken connections");
        self.channel.ensure_rows(&ChannelRows::after(1))
    }
}

#[e2e]
async fn tus_js_client_survives_a_connection_that_breaks(stack: Arc<TestStack>) -> Result<()> {
    let line = Line::breaking(&stack, "tus-js-client").await?;
    line.ensure_arrived(&line.run_tus_js_client().await?, DOCUMENTED_CAPTION)
}

/// Uploads a file, and prints the id of the video.
const TUSPY: &str = "import os
from tusclient import client
e = os.environ
service = client.TusClient(e['ENDPOINT'], headers={'Authorization': 'Bearer ' + e['API_KEY']})
metadata = {'caption': e['CAPTION'], 'filename': 'clip.mp4', 'filetype': 'video/mp4'}
uploader = service.uploader(e['FILE'], chunk_size=int(e['CHUNK']), metadata=metadata, retries=20, retry_delay=0.1)
uploader.upload()
print(uploader.request.response_headers['clipgate-content-uuid'])";

#[e2e]
async fn tuspy_survives_a_connection_that_breaks(stack: Arc<TestStack>) -> Result<()> {
    let line = Line::breaking(&stack, "tuspy").await?;
    let mut command = Command::new(project().join(".dev/python/bin/python"));
    command.args(["-c", TUSPY]).env("ENDPOINT", line.base() + paths::RESUMABLE_UPLOADS).env("CAPTION", CAPTION);
    command.env("FILE", &line.path).env("CHUNK", CHUNK.to_string());
    let Some(uuid) = line.run(command).await? else {
        println!("stock_clients: tuspy is not installed and is not tested");
        return Ok(());
    };
    line.ensure_arrived(&uuid, CAPTION)
}

/// The HTTP library of the Rust crate `tus_client`, which leaves it to its user.
#[derive(Clone)]
struct Requests {
    client: Client,
    runtime: Handle,
    key: String,
}

impl HttpHandler for Requests {
    fn handle_request(&self, request: HttpRequest<'_>) -> Result<HttpResponse, tus_client::Error> {
        let failed = |error: anyhow::Error| tus_client::Error::HttpHandlerError(format!("{error:#}"));
        self.runtime.block_on(self.send(&request)).map_err(failed)
    }
}

impl Requests {
    async fn send(&self, request: &HttpRequest<'_>) -> Result<HttpResponse> {
        let method = Method::from_bytes(request.method.to_string().to_uppercase().as_bytes())?;
        let mut sent = self.client.request(method, &request.url).bearer_auth(&self.key);
        for (name, value) in &request.headers {
            sent = sent.header(name, value);
        }
        let response = sent.body(request.body.unwrap_or_default().to_vec()).send().await?;
        let headers = response.headers().iter();
        let headers = headers.map(|(name, value)| Ok((name.to_string(), value.to_str()?.to_owned())));
        let headers = headers.collect::<Result<HashMap<_, _>>>()?;
        Ok(HttpResponse { headers, status_code: response.status().as_u16().into() })
    }

    /// Uploads a file, and continues whenever the connection breaks. Returns the path of the upload.
    fn upload(self, host: &str, file: &std::path::Path) -> Result<String> {
        let client = tus_client::Client::new(self);
        let metadata = [("caption", CAPTION), ("filename", "clip.mp4")];
        let metadata = metadata.map(|(name, text)| (name.to_owned(), text.to_owned())).into();
        let location = client.create_with_metadata(&format!("{host}{}", paths::RESUMABLE_UPLOADS), file, metadata)?;
        for _ in 0..MOST_BROKEN {
            match client.upload_with_chunk_size(&format!("{host}{location}"), file, CHUNK) {
                Err(tus_client::Error::HttpHandlerError(_)) => {}
                outcome => return outcome.map(|()| location).context("the upload failed"),
            }
        }
        bail!("the upload does not end")
    }
}

#[e2e]
async fn the_rust_client_survives_a_connection_that_breaks(stack: Arc<TestStack>) -> Result<()> {
    let line = Line::breaking(&stack, "rust").await?;
    let requests = Requests { client: stack.client.clone(), runtime: Handle::current(), key: line.channel.key.clone() };
    let (host, path) = (line.base(), line.path.clone());
    let location = tokio::task::spawn_blocking(move || requests.upload(&host, &path)).await??;
    let head = super::Upload { channel: line.channel.clone(), path: location }.head().await?;
    line.ensure_arrived(head.header("clipgate-content-uuid"), CAPTION)
}
