//! Booting a stack, waiting until everything answers, and ending it.

use crate::origin::{Origin, OriginOptions};
use crate::process::Group;
use crate::queue_bridge::QueueBridge;
use crate::secrets::Secrets;
use crate::stack_env::{Published, StackEnv};
use crate::wait::{self, Waiting};
use crate::wrangler::{self, Program};
use crate::{configuration, seed, stack_env};
use anyhow::{Context, Result, ensure};
use contract::paths;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::time::Duration;

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
    /// How often one key may ask in ten seconds, where not as often as in production.
    pub key_rate: Option<u32>,
    /// The origins that work on the uploads.
    pub origins: Vec<OriginOptions>,
    /// Where to write `stack.env` beside the state folder, unless another living stack has its own there.
    pub published: Option<PathBuf>,
}

/// A running system. It ends when this is dropped, also by a panic.
#[derive(Debug)]
pub struct Stack {
    // The order is that of dropping: first the files say that the stack is gone, then it goes.
    published: Published,
    pub origins: Vec<Origin>,
    worker: Group,
    /// Goes after the Worker that sends to it.
    queue_bridge: QueueBridge,
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
        let mut queue_bridge = QueueBridge::start(&options.state, &secrets)?;
        progress("applying the database's migrations");
        wrangler::migrate(&options.state, &configuration)?;
        progress("starting queue bridge and Worker");
        queue_bridge.ready(&secrets).await?;
        let program = Program {
            forwarder: queue_bridge.write_forwarder(&options.state, &secrets, &configuration)?,
            secrets: secrets.write_worker_file(&options.state)?,
            port: options.port,
            configuration,
        };
        let worker = start_worker(&options, &program).await?;
        progress("signing in two accounts and setting the categories");
        let mut env = seed_and_describe(&options, &secrets, &program.configuration).await?;
        env.0.extend(queue_bridge.env(&secrets));
        if !options.origins.is_empty() {
            progress("starting the origin");
        }
        let origins = start_origins(&options, &mut env).await?;
        let published = Published::write(&env, files)?;
        Ok(Self {
            published,
            origins,
            worker,
            queue_bridge,
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

    /// Returns when one of its programs has ended by itself, which none should.
    pub async fn ended(&mut self) -> std::process::ExitStatus {
        loop {
            let origins = self.origins.iter_mut().find_map(Origin::ended);
            let others = self.worker.ended().or_else(|| self.queue_bridge.ended());
            if let Some(status) = origins.or(others) {
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

async fn start_worker(options: &Options, program: &Program) -> Result<Group> {
    // wrangler would silently take another port, and the addresses would be wrong.
    TcpListener::bind(("127.0.0.1", options.port))
        .with_context(|| format!("port {} is taken; set PORT to another one", options.port))?;
    let log = options.state.join("edge.log");
    let mut worker = Group::start(wrangler::dev(&options.state, program), &log)?;
    let health = crate::http::client().get(format!("{}{}", options.address(), paths::HEALTH));
    let waiting = Waiting {
        name: "Worker",
        log: &log,
    };
    wait::until(&mut worker, waiting, async || wait::succeeds(&health).await).await?;
    Ok(worker)
}

/// Starts the origins; `stack.env` names the first.
async fn start_origins(options: &Options, env: &mut StackEnv) -> Result<Vec<Origin>> {
    let mut origins = Vec::new();
    for origin in &options.origins {
        origins.push(Origin::start(origin, env, &options.state)?);
    }
    for origin in &mut origins {
        origin.ready().await?;
    }
    if let Some(first) = origins.first() {
        env.0
            .push(("ORIGIN_URL", format!("http://{}", first.address)));
    }
    Ok(origins)
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
        ("EDGE_URL", address.clone()),
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
