//! The commands, one file each.

mod appeal;
mod categories;
mod check;
mod completions;
mod delete;
mod each_video;
mod events;
mod limits;
mod list;
mod listen;
mod login;
mod man;
mod paths;
mod release;
mod shown;
mod small_file;
mod status;
mod update;
mod upload;
mod waiting;

use super::arguments::Command;
use super::context::Context;
use anyhow::Result;
use std::process::ExitCode;

/// Runs a command and returns its exit code.
pub(crate) async fn run(context: &Context, command: Command) -> Result<ExitCode> {
    match command {
        Command::Upload(arguments) => upload::run(context, &arguments).await,
        Command::Check(arguments) => check::run(context, &arguments),
        Command::Status(arguments) => status::run(context, &arguments).await,
        Command::List(arguments) => list::run(context, &arguments).await,
        Command::Update(arguments) => update::run(context, arguments).await,
        Command::Release(arguments) => release::run(context, &arguments).await,
        Command::Appeal(arguments) => appeal::run(context, &arguments).await,
        Command::Delete(arguments) => delete::run(context, &arguments).await,
        Command::Limits => limits::run(context).await,
        Command::Categories => categories::run(context).await,
        Command::Events(arguments) => events::run(context, &arguments).await,
        Command::Listen(arguments) => listen::run(context, arguments).await,
        Command::Login(_) => login::log_in(context).await,
        Command::Logout => login::log_out(context),
        Command::Completions { shell } => completions::run(shell),
        Command::Man { to } => man::run(to.as_deref()),
    }
}
