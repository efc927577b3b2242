//! `clipgate-operate`: manages tokens of people and keys of origins, exports the trail, imports and exports the
//! blocklist, and exports and erases accounts.

use anyhow::{Context, Result};
use clap::{Parser, Subcommand};
use contract::api::TokenRole;
use deploy::hash_list::{CsvExport, HashList, ListFormat};
use deploy::operate::{Service, secret_from};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Value, json};
use std::fs::File;
use std::io::{BufReader, stdout};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The exit code if the service still has to delete something.
const NOT_FINISHED: u8 = 3;

/// Manages tokens of people and keys of origins, exports the trail, imports and exports the blocklist, and exports and
/// erases accounts.
///
/// A new token or key is the only line on standard output, so it can be redirected to a file. It cannot be shown again.
#[derive(Parser)]
#[command(
    name = "clipgate-operate",
    version,
    after_help = "The token for this comes from the environment variable ADMIN_TOKEN, or from the file that \
    ADMIN_TOKEN_FILE names. It needs the role `operate`; for the trail and the export of the blocklist `look`, for the \
    import `blocklist`."
)]
struct Arguments {
    /// The base URL of the service.
    #[arg(long, env = "BASE_URL", value_name = "URL")]
    url: String,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Tokens of moderators, operators and the site's back end.
    #[command(subcommand)]
    Token(TokenCommand),
    /// Keys of origins.
    #[command(subcommand)]
    Origin(OriginCommand),
    /// Print the trail as JSON lines, oldest entry first.
    Trail {
        /// Print only entries with a larger number, to continue an earlier export.
        #[arg(long, value_name = "NUMBER", default_value_t = 0)]
        after: u64,
    },
    /// The blocklist of image hashes (PDQ).
    #[command(subcommand)]
    Blocklist(BlocklistCommand),
    /// Export or erase the data of an account.
    #[command(subcommand)]
    Account(AccountCommand),
}

#[derive(Subcommand)]
enum AccountCommand {
    /// Print everything that is stored about an account as JSON lines, each with the name of its table.
    Export {
        /// The number of the account on the site.
        account_id: u64,
    },
    /// Erase an account permanently: its key, its videos, and all records about it.
    ///
    /// Once the first request returns, the key is rejected and the videos are hidden. The service itself deletes files
    /// an hour later, and evidence when its retention ends. Run the command again to see the progress.
    ///
    /// Exit codes: 0 if everything is erased, 3 if the service still has to delete something, 1 after an error.
    Erase {
        /// The number of the account on the site.
        account_id: u64,
        /// The reason, as the trail shows it. It is kept, so do not name a person.
        #[arg(long)]
        reason: String,
        /// Confirm the erasure. It cannot be undone.
        #[arg(long, required = true)]
        yes: bool,
    },
}

#[derive(Subcommand)]
enum BlocklistCommand {
    /// Add the hashes in a file, such as a list that services share. Importing them again changes nothing.
    Import {
        file: PathBuf,
        /// The reason for blocking these hashes, as the trail shows it.
        #[arg(long)]
        reason: String,
        /// The format of the file. If omitted, the file name must end with .csv or .jsonl.
        #[arg(long)]
        format: Option<ListFormat>,
    },
    /// Print the whole list.
    Export {
        #[arg(long, default_value = "jsonl")]
        format: ListFormat,
    },
}

#[derive(Subcommand)]
enum TokenCommand {
    /// Create a token.
    Create {
        /// The name of the person or system that will use it, as the trail shows it.
        #[arg(long)]
        name: String,
        /// A role: look, decide, blocklist, operate or watch. Repeat the option for several roles. `service` must be
        /// the only one.
        #[arg(long = "role", required = true, value_parser = parse_role)]
        roles: Vec<TokenRole>,
        /// Lifetime in days, at most 400.
        #[arg(long, default_value_t = 90, value_parser = clap::value_parser!(u64).range(1..=400))]
        days: u64,
    },
    /// Print all tokens without their secrets, as JSON lines.
    List,
    /// Revoke a token immediately.
    End { token_id: u64 },
}

#[derive(Subcommand)]
enum OriginCommand {
    /// Create a key for an origin. Its earlier keys stay valid until they are revoked.
    Create {
        /// The origin's name, as in its setting ORIGIN_NAME.
        name: String,
    },
    /// Print the keys of all origins without their secrets, as JSON lines.
    List,
    /// Revoke a key immediately. An origin without a key loses its jobs to the others.
    End { key_id: u64 },
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    match operate(Arguments::parse()).await {
        Ok(code) => code,
        Err(error) => {
            eprintln!("clipgate-operate: {error:#}");
            ExitCode::FAILURE
        }
    }
}

async fn operate(Arguments { url, command }: Arguments) -> Result<ExitCode> {
    let service = Service::new(&url, secret_from("ADMIN_TOKEN", |name| std::env::var(name).ok())?)?;
    match command {
        Command::Token(TokenCommand::Create { name, roles, days }) => {
            let created = service.create_token(name, roles, days).await?;
            eprintln!("token {}, valid for {days} days", created.token_id);
            println!("{}", created.token);
        }
        Command::Token(TokenCommand::List) => print_lines(&service.tokens().await?),
        Command::Token(TokenCommand::End { token_id }) => service.end_token(token_id).await?,
        Command::Origin(OriginCommand::Create { name }) => {
            let created = service.create_origin_key(name).await?;
            eprintln!("key {} of {}", created.key_id, created.name);
            println!("{}", created.origin_key);
        }
        Command::Origin(OriginCommand::List) => print_lines(&service.origin_keys().await?),
        Command::Origin(OriginCommand::End { key_id }) => service.end_origin_key(key_id).await?,
        Command::Trail { after } => service.export_trail(after, &mut stdout()).await?,
        Command::Blocklist(BlocklistCommand::Import { file, reason, format }) => {
            import(&service, &file, &reason, format).await?;
        }
        Command::Blocklist(BlocklistCommand::Export { format: ListFormat::Jsonl }) => {
            service.export_hashes(&mut stdout()).await?;
        }
        Command::Blocklist(BlocklistCommand::Export { format: ListFormat::Csv }) => {
            let mut csv = CsvExport::new(stdout());
            service.export_hashes(&mut csv).await?;
            csv.finish()?;
        }
        Command::Account(AccountCommand::Export { account_id }) => {
            service.export_account(account_id, &mut stdout()).await?;
        }
        Command::Account(AccountCommand::Erase { account_id, reason, yes: _ }) => {
            return erase(&service, account_id, &reason).await;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Sends requests until all contents are deleted, and prints what the service still has to delete by itself.
async fn erase(service: &Service, account_id: u64, reason: &str) -> Result<ExitCode> {
    // Drawn only if standard error is a terminal.
    let spinner = ProgressBar::new_spinner();
    let mut progress = service.erase_account(account_id, reason).await?;
    while progress.contents_left > 0 {
        spinner.set_message(format!("{} videos left", progress.contents_left));
        spinner.tick();
        progress = service.erase_account(account_id, reason).await?;
    }
    spinner.finish_and_clear();
    println!("{}", serde_json::to_string(&progress)?);
    Ok(if progress.is_finished { ExitCode::SUCCESS } else { ExitCode::from(NOT_FINISHED) })
}

async fn import(service: &Service, file: &Path, reason: &str, format: Option<ListFormat>) -> Result<()> {
    let HashList { hashes, skipped } = read_list(file, format).with_context(|| file.display().to_string())?;
    let hashes: Vec<_> = hashes.iter().map(ToString::to_string).collect();
    // Hidden unless standard error is a terminal.
    let style = ProgressStyle::with_template("{bar:30} {pos} of {len} hashes sent")?;
    let bar = ProgressBar::new(hashes.len().try_into()?).with_style(style);
    let added = service.import_hashes(&hashes, reason, |sent| bar.set_position(sent)).await?;
    bar.finish_and_clear();
    println!("{}", json!({ "hashes": hashes.len(), "added": added, "skipped": skipped }));
    Ok(())
}

fn read_list(file: &Path, format: Option<ListFormat>) -> Result<HashList> {
    let format = format.map_or_else(|| ListFormat::of_file(file), Ok)?;
    HashList::read(format, BufReader::new(File::open(file)?))
}

fn print_lines(entries: &[Value]) {
    for entry in entries {
        println!("{entry}");
    }
}

fn parse_role(text: &str) -> Result<TokenRole, String> {
    let roles = TokenRole::ALL.into_iter();
    let names = || TokenRole::ALL.map(TokenRole::as_str).join(", ");
    roles.clone().find(|role| role.as_str() == text).ok_or_else(|| format!("the roles are {}", names()))
}
