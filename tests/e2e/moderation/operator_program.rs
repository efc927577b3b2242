//! `clipgate-operate` with the running service.

use anyhow::{Context, Result, ensure};
use contract::paths;
use reqwest::Method;
use serde_json::Value;
use std::process::{Command, Output};
use std::sync::Arc;
use tests::{TestStack, e2e, ensure_refused, send};

/// Runs the program with a token, as an operator does.
pub(crate) fn operate(stack: &TestStack, token: &str, arguments: &[&str]) -> Result<Output> {
    let this = std::env::current_exe()?;
    let program = this.ancestors().nth(2).context("no target folder")?.join("clipgate-operate");
    ensure!(program.exists(), "run `make test-programs` first");
    let mut command = Command::new(program);
    command.args(arguments).env("BASE_URL", stack.env().get("BASE_URL")).env("ADMIN_TOKEN", token);
    Ok(command.output()?)
}

/// Returns the lines that a successful run as the operator printed.
pub(crate) fn lines(stack: &TestStack, arguments: &[&str]) -> Result<Vec<String>> {
    let output = operate(stack, stack.env().get("ADMIN_TOKEN"), arguments)?;
    ensure!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    Ok(String::from_utf8(output.stdout)?.lines().map(str::to_owned).collect())
}

/// Returns the one line that a run printed, and remembers it as a secret.
fn secret(stack: &TestStack, arguments: &[&str]) -> Result<String> {
    let [secret] = <[String; 1]>::try_from(lines(stack, arguments)?).ok().context("not one line")?;
    stack.remember_secret(secret.rsplit('_').next().unwrap_or_default());
    Ok(secret)
}

/// Returns the id of the newest entry of a list with this name.
fn id_of(list: &[String], name: &str, field: &str) -> Result<u64> {
    let entries: Vec<Value> = list.iter().map(|line| serde_json::from_str(line)).collect::<Result<_, _>>()?;
    let entry = entries.iter().find(|entry| entry["name"] == name).context("not listed")?;
    entry[field].as_u64().context("no id")
}

#[e2e]
async fn the_operator_makes_lists_and_ends_tokens_and_keys(stack: Arc<TestStack>) -> Result<()> {
    let token = secret(&stack, &["token", "create", "--name", "Grace", "--role", "look", "--days", "1"])?;
    let look = async || send(stack.request(Method::GET, paths::MODERATION_QUEUE).bearer_auth(&token)).await;
    ensure!(look().await?.status == 200);
    let id = id_of(&lines(&stack, &["token", "list"])?, "Grace", "token_id")?;
    lines(&stack, &["token", "end", &id.to_string()])?;
    ensure_refused(&look().await?, 401, "admin_token_invalid")?;

    let key = secret(&stack, &["origin", "create", "origin-of-grace"])?;
    ensure!(key.starts_with("cgo_"), "not a key of an origin");
    let id = id_of(&lines(&stack, &["origin", "list"])?, "origin-of-grace", "key_id")?;
    lines(&stack, &["origin", "end", &id.to_string()])?;

    let trail = lines(&stack, &["trail"])?;
    let about = |subject: &str| trail.iter().filter(|line| line.contains(&format!("\"{subject}\""))).count();
    ensure!(about("origin:origin-of-grace") == 2, "{trail:?}");
    Ok(())
}

#[e2e]
async fn the_operator_imports_a_list_and_exports_it_in_both_forms(stack: Arc<TestStack>) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("shared list.csv");
    // More than one request, with a duplicate hash and a skipped entry.
    let hashes: Vec<_> = (0..1_500).map(|number| format!("{:056x}{:08x}", stack.unique(), number)).collect();
    let rows = hashes.join(",80\n") + ",80\n";
    std::fs::write(&file, format!("hash,quality\n{rows}{},90\n{:064x},12\n", hashes[0], 7))?;
    let file = file.to_str().context("not UTF-8")?;
    for added in [1_500, 0] {
        let printed = lines(&stack, &["blocklist", "import", file, "--reason", "a shared list"])?;
        ensure!(printed == [format!(r#"{{"added":{added},"hashes":1500,"skipped":1}}"#)], "{printed:?}");
    }
    for format in ["jsonl", "csv"] {
        let list = lines(&stack, &["blocklist", "export", "--format", format])?;
        let has = |hash: &String| list.iter().any(|line| line.contains(hash) && line.contains("a shared list"));
        ensure!(hashes.iter().all(has), "{format}: {} lines", list.len());
    }
    let unknown = operate(&stack, stack.env().get("ADMIN_TOKEN"), &["blocklist", "import", "list", "--reason", "r"])?;
    let text = String::from_utf8_lossy(&unknown.stderr);
    ensure!(!unknown.status.success() && text.contains("add --format"), "{text}");
    Ok(())
}

#[e2e]
async fn a_refused_operator_sees_why_and_never_the_token(stack: Arc<TestStack>) -> Result<()> {
    let token = "0123456789abcdef0123456789abcdef-wrong";
    for arguments in [&["token", "list"][..], &["trail"], &["origin", "create", "x"]] {
        let output = operate(&stack, token, arguments)?;
        let text = [output.stdout, output.stderr].concat();
        let text = String::from_utf8_lossy(&text);
        ensure!(output.status.code() == Some(1) && text.contains("admin_token_invalid"), "{text}");
        ensure!(!text.contains(token), "{text}");
    }
    Ok(())
}
