//! `clipgate-operate`: makes and ends the tokens of people and the keys of origins, and exports the trail.

use anyhow::Result;
use clap::{Parser, Subcommand};
use contract::api::TokenRole;
use deploy::operate::{Service, token_from};
use serde_json::Value;
use std::io::stdout;
use std::process::ExitCode;

/// Makes and ends the tokens of people and the keys of origins, and exports the trail.
///
/// A new token or key is the only line on the standard output, so it can be sent to a file. It cannot be shown again.
#[derive(Parser)]
#[command(
    name = "clipgate-operate",
    version,
    after_help = "The token that authorises this comes from the environment variable ADMIN_TOKEN, or from the file that \
    ADMIN_TOKEN_FILE names. It needs the role `operate`, and `look` for the trail."
)]
struct Arguments {
    /// The base address of the service.
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
    /// Print the trail, oldest first, a line of JSON for each entry.
    Trail {
        /// Only entries with a larger number, to continue an earlier export.
        #[arg(long, value_name = "NUMBER", default_value_t = 0)]
        after: u64,
    },
}

#[derive(Subcommand)]
enum TokenCommand {
    /// Make a token.
    Create {
        /// The name of the person or system that will use it, as the trail shows it.
        #[arg(long)]
        name: String,
        /// A permission: look, decide, blocklist, operate, or service alone. Can be repeated.
        #[arg(long = "role", required = true, value_parser = parse_role)]
        roles: Vec<TokenRole>,
        /// After how many days it ends, at most 400.
        #[arg(long, default_value_t = 90, value_parser = clap::value_parser!(u64).range(1..=400))]
        days: u64,
    },
    /// Print all tokens without their secrets, a line of JSON for each.
    List,
    /// End a token at once.
    End { token_id: u64 },
}

#[derive(Subcommand)]
enum OriginCommand {
    /// Make a key for an origin. Its earlier keys stay valid until they are ended.
    Create {
        /// The origin's name, as in its setting ORIGIN_NAME.
        name: String,
    },
    /// Print the keys of all origins without their secrets, a line of JSON for each.
    List,
    /// End a key at once. With its last key, an origin loses its jobs to the others.
    End { key_id: u64 },
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    match operate(Arguments::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("clipgate-operate: {error:#}");
            ExitCode::FAILURE
        }
    }
}

async fn operate(Arguments { url, command }: Arguments) -> Result<()> {
    let service = Service::new(&url, token_from(|name| std::env::var(name).ok())?)?;
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
    }
    Ok(())
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
