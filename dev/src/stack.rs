//! Booting a stack, waiting until everything answers, and ending it.

use crate::process::Group;
use crate::secrets::Secrets;
use crate::stack_env::{Published, StackEnv};
use crate::{configuration, seed, stack_env, wrangler};
use anyhow::{Context, Result, bail, ensure};
use contract::paths;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// workerd is up within seconds; a minute allows for a machine that builds something beside it.
const BOOT_DEADLINE: Duration = Duration::from_mins(1);
const STACK_ENV: &str = "stack.env";

/// Which build of the Worker runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    /// What is deployed.
    Release,
    /// With the routes that only tests need.
    Development,
}

#[derive(Clone, Debug)]
pub struct Options {
    pub port: u16,
    pub state: PathBuf,
    pub variant: Variant,
    /// Variables of the Worker beside its addresses.
    pub vars: Vec<(String, String)>,
    /// Where to write `stack.env` beside the state folder, unless another living stack has its own there.
    pub published: Option<PathBuf>,
}

/// A running system. It ends when this is dropped, also by a panic.
#[derive(Debug)]
pub struct Stack {
    // The order is that of dropping: first the files say that the stack is gone, then it goes.
    published: Published,
    worker: Group,
    pub env: StackEnv,
    pub state: PathBuf,
}

impl Variant {
    pub fn worker(self) -> &'static str {
        match self {
            Self::Release => "build/release/index.js",
            Self::Development => "build/development/index.js",
        }
    }
}

impl Options {
    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    fn stack_env_files(&self) -> Vec<PathBuf> {
        let own = self.state.join(STACK_ENV);
        std::iter::once(own).chain(self.published.clone()).collect()
    }
}

impl Stack {
    /// Boots everything and returns when it answers. `progress` is told each step.
    pub async fn boot(options: Options, progress: impl Fn(&str)) -> Result<Self> {
        let state = prepare(&options.state)?;
        let options = Options { state, ..options };
        let files = options.stack_env_files();
        for file in &files {
            stack_env::remove_stale(file);
        }
        let secrets = Secrets::of(&options.state)?;
        let configuration = configuration::write(&options, &secrets)?;
        progress("applying the database's migrations");
        wrangler::migrate(&options.state, &configuration)?;
        progress("starting the Worker");
        let worker = start_worker(&options, &secrets, &configuration).await?;
        progress("signing in two accounts and setting the categories");
        let env = seed_and_describe(&options, &secrets, &configuration).await?;
        let published = Published::write(&env, files)?;
        Ok(Self {
            published,
            worker,
            env,
            state: options.state,
        })
    }

    /// The `stack.env` to read: the one asked for, or the state folder's where another stack holds that.
    pub fn stack_env(&self) -> PathBuf {
        let own = || self.state.join(STACK_ENV);
        self.published.path().map_or_else(own, Path::to_owned)
    }

    /// What the Worker printed.
    pub fn log(&self) -> PathBuf {
        self.state.join("edge.log")
    }

    /// Returns when the Worker has ended by itself, which it never should.
    pub async fn worker_ended(&mut self) -> std::process::ExitStatus {
        loop {
            if let Some(status) = self.worker.ended() {
                return status;
            }
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    }
}

/// A port that nobody listens on at this moment.
pub fn free_port() -> Result<u16> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.port())
}

fn prepare(state: &Path) -> Result<PathBuf> {
    std::fs::create_dir_all(state)
        .with_context(|| format!("making the folder {}", state.display()))?;
    // Two Workers would write the same database files.
    ensure!(
        !stack_env::is_held(&state.join(STACK_ENV)),
        "another stack runs on {}; set STATE_DIR and PORT to others",
        state.display()
    );
    state
        .canonicalize()
        .with_context(|| format!("finding the folder {}", state.display()))
}

async fn start_worker(options: &Options, secrets: &Secrets, configuration: &Path) -> Result<Group> {
    // wrangler would silently take another port, and the addresses would be wrong.
    TcpListener::bind(("127.0.0.1", options.port))
        .with_context(|| format!("port {} is taken; set PORT to another one", options.port))?;
    let secrets_file = secrets.write_worker_file(&options.state)?;
    let log = options.state.join("edge.log");
    let command = wrangler::dev(&options.state, configuration, &secrets_file, options.port);
    let mut worker = Group::start(command, &log)?;
    wait_until_healthy(&options.address(), &mut worker, &log).await?;
    Ok(worker)
}

async fn wait_until_healthy(address: &str, worker: &mut Group, log: &Path) -> Result<()> {
    let client = reqwest::Client::new();
    let deadline = Instant::now() + BOOT_DEADLINE;
    loop {
        if let Some(status) = worker.ended() {
            bail!("the Worker ended with {status}; its log:\n{}", tail(log));
        }
        let answer = client
            .get(format!("{address}{}", paths::HEALTH))
            .timeout(BOOT_DEADLINE)
            .send()
            .await;
        if answer.is_ok_and(|answer| answer.status().is_success()) {
            return Ok(());
        }
        if Instant::now() > deadline {
            bail!(
                "the Worker did not answer within {BOOT_DEADLINE:?}; its log:\n{}",
                tail(log)
            );
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

fn tail(log: &Path) -> String {
    let text = std::fs::read_to_string(log).unwrap_or_default();
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(30)..].join("\n")
}

async fn seed_and_describe(
    options: &Options,
    secrets: &Secrets,
    configuration: &Path,
) -> Result<StackEnv> {
    let address = options.address();
    seed::categories(&address, &secrets.service_token).await?;
    Ok(StackEnv(vec![
        ("BASE_URL", address.clone()),
        ("UPLOAD_URL", address.clone()),
        ("SITE_URL", address.clone()),
        (
            "SESSION_COOKIE",
            seed::session(&address, &secrets.service_token, 1).await?,
        ),
        (
            "SECOND_SESSION_COOKIE",
            seed::session(&address, &secrets.service_token, 2).await?,
        ),
        ("SERVICE_TOKEN", secrets.service_token.clone()),
        ("ADMIN_TOKEN", secrets.admin_token.clone()),
        ("ORIGIN_SECRET", secrets.origin_secret.clone()),
        ("S3_ENDPOINT", format!("{address}/cdn-cgi/local/r2/s3")),
        ("S3_ACCESS_KEY_ID", secrets.s3_access_key_id.clone()),
        ("S3_SECRET_ACCESS_KEY", secrets.s3_secret_access_key.clone()),
        ("S3_BUCKET", configuration::bucket(configuration)?),
    ]))
}
