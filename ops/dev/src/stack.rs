//! Starts a stack, waits until all of its parts are ready, and stops it.

use crate::local_cache::LocalCache;
use crate::network::{free_port, http_client};
use crate::options::StackOptions;
use crate::origin_process::OriginProcess;
use crate::process::ProcessGroup;
use crate::queue_bridge::QueueBridge;
use crate::secrets::Secrets;
use crate::sign_in::{self, SignInPage};
use crate::stack_env::{self, StackEnv, StackEnvFiles};
use crate::supervision::{self, Restarts, WorkerWatch};
use crate::wrangler::{self, DevServer};
use crate::{migrated_storage, readiness, seed, worker_config};
use anyhow::{Context, Result, ensure};
use contract::paths;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::time::Instant;

const STACK_ENV: &str = "stack.env";

/// A running system. Dropping it, for example during a panic, stops all of it.
#[derive(Debug)]
pub struct Stack {
    // Fields are dropped in this order: the files disappear before the stack stops, and the queue bridge stops after
    // the Worker that sends to it.
    files: StackEnvFiles,
    pub origins: Vec<OriginProcess>,
    cache: Option<LocalCache>,
    _sign_in: SignInPage,
    worker: ProcessGroup,
    queue_bridge: QueueBridge,
    pub env: StackEnv,
    pub state: PathBuf,
    /// The URL of the Worker itself. It differs from the API's if a cache is in front of it.
    pub worker_address: String,
    options: StackOptions,
    server: DevServer,
}

/// A part of a running stack.
#[derive(Clone, Copy, Debug)]
enum Part {
    Worker,
    QueueBridge,
    Cache,
    /// The origin with this index.
    Origin(usize),
}

impl Stack {
    /// Starts everything and returns when all parts are ready. `report_progress` is called with the name of each step.
    pub async fn boot(options: StackOptions, report_progress: impl Fn(&str)) -> Result<Self> {
        let state = prepare_state_folder(&options.state)?;
        let options = StackOptions { state, ..options };
        let files = stack_env_paths(&options);
        for file in &files {
            stack_env::remove_stale(file);
        }
        let secrets = Secrets::load_or_generate(&options.state)?;
        let (sign_in, sign_in_url) = sign_in::bind().await?;
        let config = worker_config::write(&options, &secrets, &sign_in_url)?;
        let mut queue_bridge = QueueBridge::start(&options.state, &secrets)?;
        report_progress("applying the database migrations");
        migrated_storage::prepare(&options.state, &config)?;
        report_progress("starting the queue bridge, the cache and the Worker");
        let worker_port = if options.has_cache { free_port()? } else { options.port };
        let mut cache = start_cache(&options, worker_port)?;
        queue_bridge.wait_until_ready(&secrets).await?;
        let server = DevServer {
            forwarder: queue_bridge.write_forwarder(&options.state, &secrets, &config)?,
            secrets: secrets.write_worker_file(&options.state)?,
            port: worker_port,
            worker: config,
        };
        let worker = start_worker(&options, &server).await?;
        if let Some(cache) = &mut cache {
            cache.wait_until_ready(&health_request(&options.address())).await?;
        }
        report_progress("creating two accounts and the categories");
        let mut env = seed_and_describe(&options, &secrets, &server).await?;
        env.0.extend(queue_bridge.env(&secrets));
        env.0.push(("SIGN_IN_URL", sign_in_url));
        let tokens = sign_in::Tokens { service: secrets.service_token.clone(), admin: secrets.admin_token.clone() };
        let sign_in = sign_in::serve(sign_in, options.address(), tokens);
        if !options.origins.is_empty() {
            report_progress("starting the origins");
        }
        let origins = start_origins(&options, &mut env).await?;
        let files = StackEnvFiles::write(&env, files)?;
        let worker_address = server.address();
        let state = options.state.clone();
        Ok(Self {
            files,
            origins,
            cache,
            _sign_in: sign_in,
            worker,
            queue_bridge,
            env,
            state,
            worker_address,
            options,
            server,
        })
    }

    /// Returns the path of the `stack.env` to source: the shared one, or the state folder's if another stack holds the
    /// shared one.
    pub fn stack_env(&self) -> PathBuf {
        self.files.last_path().map_or_else(|| self.state.join(STACK_ENV), Path::to_owned)
    }

    /// Returns the path of the file with the Worker's output.
    pub fn log(&self) -> &Path {
        self.worker.log()
    }

    /// Returns the id of the process of wrangler.
    pub fn worker_id(&self) -> u32 {
        self.worker.id()
    }

    /// Restarts every part that ends or stops responding, and reports it. Returns only if that does not help.
    pub async fn supervise(&mut self, say: impl Fn(&str)) -> Result<()> {
        let health = health_request(&self.worker_address).header("Host", self.options.host());
        let (mut watch, mut restarts) = (WorkerWatch::new(health), Restarts::default());
        loop {
            let ended = self.ended_part();
            let failed = match ended {
                Some((part, status)) => Some((part, format!("ended with {status}"))),
                None if watch.is_silent().await => Some((Part::Worker, "does not answer".to_owned())),
                None => None,
            };
            let Some((part, failure)) = failed else {
                tokio::time::sleep(supervision::PAUSE).await;
                continue;
            };
            say(&format!("{} {failure}; starting it again", self.name(part)));
            restarts.record(Instant::now()).with_context(|| format!("the logs are in {}", self.state.display()))?;
            self.restart(part).await?;
            watch.restart();
            say(&format!("{} runs again", self.name(part)));
        }
    }

    fn ended_part(&mut self) -> Option<(Part, ExitStatus)> {
        let worker = self.worker.exit_status().map(|status| (Part::Worker, status));
        let bridge = || self.queue_bridge.exit_status().map(|status| (Part::QueueBridge, status));
        let cache = || Some((Part::Cache, self.cache.as_mut()?.exit_status()?));
        let mut origins = self.origins.iter_mut().enumerate();
        let origin = || origins.find_map(|(index, origin)| Some((Part::Origin(index), origin.exit_status()?)));
        worker.or_else(bridge).or_else(cache).or_else(origin)
    }

    fn name(&self, part: Part) -> String {
        match part {
            Part::Worker => "the Worker".to_owned(),
            Part::QueueBridge => "the queue bridge".to_owned(),
            Part::Cache => "the cache".to_owned(),
            Part::Origin(index) => {
                let origin = self.origins.get(index).map(OriginProcess::name);
                format!("the origin {}", origin.unwrap_or_default())
            }
        }
    }

    async fn restart(&mut self, part: Part) -> Result<()> {
        match part {
            Part::Worker => {
                // Its remaining processes hold the port.
                self.worker.kill();
                self.worker = start_worker(&self.options, &self.server).await?;
            }
            Part::QueueBridge => {
                let secrets = Secrets::load_or_generate(&self.state)?;
                self.queue_bridge.restart(&self.state, &secrets)?;
                self.queue_bridge.wait_until_ready(&secrets).await?;
            }
            Part::Cache => {
                let mut cache = LocalCache::start(&self.state, self.options.port, self.server.port)?;
                cache.wait_until_ready(&health_request(&self.options.address())).await?;
                self.cache = Some(cache);
            }
            Part::Origin(index) => {
                if let Some(origin) = self.origins.get_mut(index) {
                    origin.restart(&self.env, &self.state)?;
                }
            }
        }
        Ok(())
    }
}

fn stack_env_paths(options: &StackOptions) -> Vec<PathBuf> {
    let own = options.state.join(STACK_ENV);
    std::iter::once(own).chain(options.shared_stack_env.clone()).collect()
}

/// Creates the state folder and returns its absolute path.
fn prepare_state_folder(state: &Path) -> Result<PathBuf> {
    std::fs::create_dir_all(state).with_context(|| format!("creating the folder {}", state.display()))?;
    // Two Workers would write to the same database files.
    ensure!(
        !stack_env::is_locked(&state.join(STACK_ENV)),
        "another stack is running in {}. Set STATE_DIR and PORT to other values.",
        state.display()
    );
    state.canonicalize().with_context(|| format!("resolving the folder {}", state.display()))
}

fn start_cache(options: &StackOptions, worker_port: u16) -> Result<Option<LocalCache>> {
    ensure_port_is_free(options.port)?;
    let start = || LocalCache::start(&options.state, options.port, worker_port);
    options.has_cache.then(start).transpose()
}

/// wrangler would silently use another port, and then all addresses would be wrong.
fn ensure_port_is_free(port: u16) -> Result<()> {
    let bound = TcpListener::bind(("127.0.0.1", port));
    bound.map(drop).with_context(|| format!("port {port} is in use. Set PORT to another one"))
}

async fn start_worker(options: &StackOptions, server: &DevServer) -> Result<ProcessGroup> {
    let command = wrangler::dev(&options.state, server);
    let mut worker = ProcessGroup::start("Worker", command, options.state.join("edge.log"))?;
    let health = health_request(&server.address()).header("Host", options.host());
    readiness::wait_until(&mut worker, async || readiness::succeeds(&health).await).await?;
    Ok(worker)
}

fn health_request(address: &str) -> reqwest::RequestBuilder {
    http_client().get(format!("{address}{}", paths::HEALTH))
}

/// Starts all origins and adds the address of the first to `env`.
async fn start_origins(options: &StackOptions, env: &mut StackEnv) -> Result<Vec<OriginProcess>> {
    let mut origins = Vec::new();
    for origin in &options.origins {
        origins.push(OriginProcess::start(origin, env, &options.state).await?);
    }
    for origin in &mut origins {
        origin.wait_until_ready().await?;
    }
    if let Some(first) = origins.first() {
        env.0.push(("ORIGIN_URL", format!("http://{}", first.address)));
    }
    Ok(origins)
}

/// Creates the initial data, and returns the variables that describe the stack without its queue and origins.
async fn seed_and_describe(options: &StackOptions, secrets: &Secrets, server: &DevServer) -> Result<StackEnv> {
    let address = options.address();
    // A closed Worker mints no sessions.
    let mut cookies = [String::new(), String::new()];
    if !options.is_closed() {
        seed::set_categories(&address, &secrets.service_token).await?;
        for (account, cookie) in (1..).zip(&mut cookies) {
            *cookie = seed::create_session(&address, &secrets.service_token, account).await?;
        }
    }
    let [session_cookie, second_session_cookie] = cookies;
    Ok(StackEnv(vec![
        ("BASE_URL", address.clone()),
        ("EDGE_URL", address.clone()),
        ("UPLOAD_URL", address.clone()),
        ("SITE_URL", address.clone()),
        ("SESSION_COOKIE", session_cookie),
        ("SECOND_SESSION_COOKIE", second_session_cookie),
        ("SERVICE_TOKEN", secrets.service_token.clone()),
        ("ADMIN_TOKEN", secrets.admin_token.clone()),
        ("WATCH_TOKEN", secrets.watch_token.clone()),
        ("S3_ENDPOINT", format!("{}/cdn-cgi/local/r2/s3", server.address())),
        ("S3_ACCESS_KEY_ID", secrets.s3_access_key_id.clone()),
        ("S3_SECRET_ACCESS_KEY", secrets.s3_secret_access_key.clone()),
        ("S3_BUCKET", worker_config::bucket_name(&server.worker)?),
    ]))
}
