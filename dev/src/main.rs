//! `clipgate-dev`: starts the whole system in the foreground. `make run` calls it after the set-up.

use anyhow::Result;
use clap::Parser;
use dev::{Options, OriginOptions, Stack, Variant};
use std::io::{IsTerminal, stderr};
use std::path::PathBuf;
use std::process::ExitCode;
use tokio::signal::unix::{SignalKind, signal};

/// Starts Clipgate on this machine and keeps it running until Ctrl-C.
///
/// The Worker runs in workerd with a local D1, KV, R2 (its S3 endpoint too) and queue. Two stacks with different
/// ports and state folders run side by side.
#[derive(Parser)]
#[command(name = "clipgate-dev", version)]
struct Arguments {
    /// The port that the stack listens on, on the loopback address.
    #[arg(long, env = "PORT", default_value_t = 8787, value_parser = clap::value_parser!(u16).range(1..))]
    port: u16,
    /// The folder that keeps databases, objects and secrets; a restart finds them again.
    #[arg(long, env = "STATE_DIR", default_value = ".dev/state")]
    state_dir: PathBuf,
    /// How many origins work on the uploads. Without one, uploads stay `processing`.
    #[arg(long, env = "ORIGINS", default_value_t = 1, value_parser = clap::value_parser!(u8).range(..=8))]
    origins: u8,
    /// Where to write the addresses and credentials, beside the state folder's own `stack.env`. Left alone while
    /// another stack that runs has its own there.
    #[arg(long, default_value = ".dev/stack.env")]
    stack_env: PathBuf,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    match run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("clipgate: {error:#}");
            ExitCode::FAILURE
        }
    }
}

async fn run() -> Result<()> {
    let arguments = Arguments::parse();
    let mut end = ends()?;
    let options = Options {
        port: arguments.port,
        state: arguments.state_dir,
        variant: Variant::Release,
        vars: Vec::new(),
        key_rate: None,
        origins: (1..=arguments.origins).map(origin).collect(),
        published: Some(arguments.stack_env),
    };
    let mut stack = tokio::select! {
        booted = Stack::boot(options, tell) => booted?,
        () = end.wait() => return Ok(()),
    };
    print!("{}", welcome(&stack));
    let ended = tokio::select! {
        () = end.wait() => None,
        status = stack.ended() => Some(status),
    };
    match ended {
        Some(status) => anyhow::bail!(
            "a part of the stack ended by itself with {status}; the logs are in {}",
            stack.state.display()
        ),
        None => tell("stopping"),
    }
    Ok(())
}

fn origin(number: u8) -> OriginOptions {
    let name = match number {
        1 => "origin".to_owned(),
        number => format!("origin-{number}"),
    };
    OriginOptions {
        name,
        vars: Vec::new(),
    }
}

/// Progress is for people; a program that starts this reads `stack.env`.
fn tell(step: &str) {
    if stderr().is_terminal() {
        eprintln!("clipgate: {step} …");
    }
}

/// The signals that ask the stack to end.
struct Ends {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
    hang_up: tokio::signal::unix::Signal,
}

fn ends() -> Result<Ends> {
    Ok(Ends {
        interrupt: signal(SignalKind::interrupt())?,
        terminate: signal(SignalKind::terminate())?,
        hang_up: signal(SignalKind::hangup())?,
    })
}

impl Ends {
    async fn wait(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
            _ = self.hang_up.recv() => {}
        }
    }
}

fn logs(stack: &Stack) -> String {
    let worker = std::iter::once(stack.log());
    let origins = stack.origins.iter().map(|origin| origin.log().to_owned());
    let logs: Vec<_> = worker
        .chain(origins)
        .map(|log| log.display().to_string())
        .collect();
    logs.join(", ")
}

fn welcome(stack: &Stack) -> String {
    let address = stack.env.get("BASE_URL");
    format!(
        r#"
Clipgate is up at {address}   (API reference: {address}/openapi.json)

In another terminal, in this folder:

  . {stack_env}

  # create an API key for the signed-in account: the answer shows it, this once
  ANSWER=$({curl} "$BASE_URL/api/php/user_settings/create_api_key" {post}); echo "$ANSWER"
  API_KEY=$(echo "$ANSWER" | grep -oE 'cgk_[0-9A-Za-z]{{46}}')

  # post a clip: your own of 2 to 120 seconds, or this one
  ffmpeg -y -loglevel error -f lavfi -i testsrc2=size=1280x720:rate=30:duration=5 -f lavfi -i sine=duration=5 \
    -pix_fmt yuv420p .dev/clip.mp4
  ANSWER=$({curl} "$UPLOAD_URL/api/php/developer/upload_video" {key} -F file=@.dev/clip.mp4); echo "$ANSWER"
  CONTENT_UUID=$(echo "$ANSWER" | grep -oE '"content_uuid":"[^"]+' | cut -d '"' -f 4)

  # its status: again, until it is published and has the address of its page
  {curl} "$UPLOAD_URL/api/php/developer/upload_status?content_uuid=$CONTENT_UUID" {key} | tee .dev/status.json
  grep -oE '"page":"[^"]+' .dev/status.json | cut -d '"' -f 4

  # the uploads that are left today
  {curl} "$UPLOAD_URL/api/php/developer/upload_limits" {key}

  # look at the key, put a new one in its place, delete that
  {curl} "$BASE_URL/api/php/user_settings/get_api_key" -H "Cookie: $SESSION_COOKIE"
  {curl} "$BASE_URL/api/php/user_settings/rotate_api_key" {post}
  {curl} "$BASE_URL/api/php/user_settings/delete_api_key" {post}

State is kept in {state}; the logs of the Worker and its origins are {logs}. Ctrl-C ends everything.
"#,
        curl = r"curl -sS -w '\n'",
        post = r#"-H "Cookie: $SESSION_COOKIE" -H 'Content-Type: application/json' -d '{}'"#,
        key = r#"-H "Authorization: Bearer $API_KEY""#,
        stack_env = stack.stack_env().display(),
        state = stack.state.display(),
        logs = logs(stack),
    )
}
