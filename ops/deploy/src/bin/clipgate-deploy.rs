//! `make deploy ENV=…`: prints the plan, carries it out, and prints the result. `make close` and `make open` call it
//! too.

use anyhow::{Context, Result};
use clap::Parser;
use deploy::account::Found;
use deploy::apply::Deployment;
use deploy::closing;
use deploy::cloudflare::Account;
use deploy::environment::Environment;
use deploy::pepper::{self, PepperStep};
use deploy::plan::{Permission, plan};
use deploy::record::Record;
use deploy::smoke;
use deploy::trial::Trial;
use deploy::worker_config::{CLOSED, SECOND_PEPPER};
use native::now_unix;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

/// Deploys an environment to Cloudflare: creates what is missing, applies the pending
/// migrations, deploys the Worker, and waits until it responds.
///
/// Every step can be repeated. After an interruption, run the same command again.
#[derive(Parser)]
#[command(
    name = "clipgate-deploy",
    version,
    after_help = "Environment variables: CLOUDFLARE_API_TOKEN and \
    CLOUDFLARE_ACCOUNT_ID (both required); docs/deploy.md lists the token's permissions."
)]
#[expect(clippy::struct_excessive_bools, reason = "each is an independent flag")]
struct Arguments {
    /// The environment, such as production.
    environment: String,
    /// Print the plan without changing anything.
    #[arg(long)]
    dry_run: bool,
    /// Use existing resources, even if no deployment from this machine created them.
    #[arg(long)]
    adopt: bool,
    /// Create empty storage, or a new KEY_PEPPER, for an existing Worker.
    #[arg(long)]
    recreate: bool,
    /// Deploy nothing: close the service to everyone but operators, such as during a restore. Later deployments keep it
    /// closed.
    #[arg(long, conflicts_with_all = ["open", "dry_run", "adopt", "recreate", "pepper", "trial"])]
    close: bool,
    /// Deploy nothing: open the service again.
    #[arg(long, conflicts_with_all = ["dry_run", "adopt", "recreate", "pepper", "trial"])]
    open: bool,
    /// The file with the environments.
    #[arg(long, env = "CLIPGATE_ENVIRONMENTS", value_name = "FILE", default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/environments.toml"))]
    environments: PathBuf,
    /// Also replace KEY_PEPPER, in three deployments: begin, later switch, and end once keys have moved to the new
    /// value (docs/runbook.md). No key stops working before the end.
    #[arg(long, value_name = "STEP")]
    pepper: Option<PepperStep>,
    /// The folder with the records of environments: the names of created resources, and the values of secrets.
    #[arg(long, env = "CLIPGATE_DEPLOY_RECORDS", value_name = "FOLDER")]
    records: Option<PathBuf>,
    /// Seconds to wait for the Worker to respond. 0 does not wait.
    #[arg(long, value_name = "SECONDS", default_value_t = smoke::default_timeout().as_secs())]
    wait: u64,
    /// Then upload a clip on behalf of this account of the site, wait until an origin has published it, and remove it.
    /// The account must have no API key.
    #[arg(long, value_name = "ACCOUNT_ID")]
    trial: Option<u64>,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    match deploy(&Arguments::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("deploy: {error:#}");
            ExitCode::FAILURE
        }
    }
}

async fn deploy(arguments: &Arguments) -> Result<()> {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).context("the project has no folder")?;
    let environment = Environment::read(&arguments.environments, &arguments.environment)?;
    let account = Account::from_environment()?;
    if arguments.close || arguments.open {
        return switch(arguments, &account, &environment).await;
    }
    let mut record = Record::read(&records_folder(arguments)?, &arguments.environment)?;
    let found = Found::read(&account, &environment).await?;
    let mut steps = plan(&environment, &found, &permission(arguments, &record))?;
    if let Some(pepper_step) = arguments.pepper {
        pepper::add_steps(&mut steps, pepper_step, found.secrets.contains(SECOND_PEPPER), &record, now_unix())?;
    }

    println!("{} of {}:", if arguments.dry_run { "Would do" } else { "Deployment" }, arguments.environment);
    for step in &steps {
        println!("  {}", step.describe(&environment));
    }
    if arguments.dry_run {
        return Ok(());
    }
    let folder = project.join("build/deploy").join(&arguments.environment);
    let mut deployment =
        Deployment { account: &account, environment: &environment, record: &mut record, project, folder };
    for (done, step) in steps.iter().enumerate() {
        println!("[{}/{}] {}", done + 1, steps.len(), step.describe(&environment));
        deployment.apply(step).await.with_context(|| {
            format!(
                "{} of {} steps are done. Run the same command again to continue.\n{}",
                done,
                steps.len(),
                step.describe(&environment)
            )
        })?;
    }
    report(arguments, &account, &environment, &record).await
}

/// Closes or opens the service, and waits until the change is visible.
async fn switch(arguments: &Arguments, account: &Account, environment: &Environment) -> Result<()> {
    if arguments.close {
        closing::close(account, environment).await?;
    } else {
        closing::open(account, environment).await?;
    }
    let state = if arguments.close { "closed" } else { "open" };
    if arguments.wait == 0 {
        println!("{} is being {state}", environment.worker());
        return Ok(());
    }
    let address = format!("https://{}", environment.upload_host);
    smoke::wait_until_closed(&address, arguments.close, Duration::from_secs(arguments.wait)).await?;
    println!("{address} is {state}");
    Ok(())
}

fn permission(arguments: &Arguments, record: &Record) -> Permission {
    Permission {
        adopt: arguments.adopt,
        recreate: arguments.recreate,
        created: record.created.clone(),
        known_secrets: record.secrets.keys().cloned().collect(),
    }
}

/// Returns the folder of the records. By default, it is outside the project, whose folder may be cleaned or copied.
fn records_folder(arguments: &Arguments) -> Result<PathBuf> {
    if let Some(folder) = &arguments.records {
        return Ok(folder.clone());
    }
    let folder = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let configuration = folder("XDG_CONFIG_HOME").or_else(|| Some(folder("HOME")?.join(".config")));
    Ok(configuration.context("set HOME, or pass --records")?.join("clipgate"))
}

/// Waits for the Worker, and prints the settings that the operator needs next.
async fn report(arguments: &Arguments, account: &Account, environment: &Environment, record: &Record) -> Result<()> {
    if arguments.wait > 0 {
        let timeout = Duration::from_secs(arguments.wait);
        for host in [&environment.upload_host, &environment.base_host] {
            let version = smoke::wait_until_healthy(&format!("https://{host}"), timeout).await?;
            println!("https://{host} is up: version {version}");
        }
    }
    if let Some(account_id) = arguments.trial {
        try_main_job(arguments, environment, record, account_id).await?;
    }
    let found = Found::read(account, environment).await?;
    if found.secrets.contains(CLOSED) {
        println!("The service is still closed. `make open ENV={}` opens it.", arguments.environment);
    }
    println!("Secrets, readable by you only: {}", record.path().display());
    println!("Settings of the origins (docs/origin.md):");
    println!("  EDGE_URL=https://{}", environment.base_host);
    println!("  S3_BUCKET={}", environment.bucket());
    if let Some(queue) = &found.completions {
        println!("  QUEUE_ID={} on origins that only complete published videos", queue.id);
    }
    for (name, queue) in [("QUEUE_ID", found.queue), ("QUEUE_DEAD_ID", found.dead_letters)] {
        println!("  {name}={}", queue.context("a queue is gone")?.id);
    }
    Ok(())
}

async fn try_main_job(
    arguments: &Arguments,
    environment: &Environment,
    record: &Record,
    account_id: u64,
) -> Result<()> {
    let service_token = record.secrets.get("SERVICE_TOKEN").context("SERVICE_TOKEN is not in this machine's record")?;
    let [base_url, upload_url] =
        [&environment.base_host, &environment.upload_host].map(|host| format!("https://{host}"));
    let trial = Trial { base_url: &base_url, upload_url: &upload_url, service_token, account_id };
    let page = trial.run(Duration::from_secs(arguments.wait)).await.context("trying an upload")?;
    println!("a clip was uploaded, published at {page}, and removed");
    Ok(())
}
