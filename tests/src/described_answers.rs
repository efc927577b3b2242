//! The OpenAPI documents describe every response that the tests got.

use crate::description_tools::Document;
use crate::test_stack::{TestStack, logged_json};
use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::Arc;

/// A logged answer: `METHOD path status code`.
type Answer = String;

/// Compares the Worker's log with the documents: each answer of an operation must have a status that is described, and
/// each refusal a code that its status lists.
pub async fn every_answer_is_described(stack: Arc<TestStack>) -> Result<String> {
    let log = std::fs::read_to_string(stack.folder().join("edge.log"))?;
    let answers: BTreeSet<Answer> = log.lines().filter_map(logged_answer).collect();
    ensure!(!answers.is_empty(), "the log has no answers");
    let described = described_answers()?;
    let missing: Vec<&Answer> = answers.difference(&described).filter(|answer| !is_for_pages(answer)).collect();
    ensure!(missing.is_empty(), "answers that no OpenAPI document describes: {missing:#?}");
    let (seen, all) = (answers.len(), described.len());
    Ok(format!("description: {seen} of {all} described answers were seen, and no other"))
}

/// Returns the response in a log line, if it belongs to an operation. Responses of the routers themselves do not, nor
/// do browsers' preflight requests, the console, the documentation, or routes that only tests call.
fn logged_answer(line: &str) -> Option<Answer> {
    let logged = logged_json(line)?;
    let (method, path) = (logged["method"].as_str()?, logged["path"].as_str()?);
    let (status, code) = (logged["status"].as_u64()?, logged["code"].as_str().unwrap_or_default());
    let undescribed = ["/dev/", contract::paths::CONSOLE, contract::paths::DOCS];
    let is_described = !undescribed.iter().any(|prefix| path.starts_with(prefix));
    let is_operation = path.starts_with('/') && is_described && method != "OPTIONS" && status != 405;
    // HEAD is answered like GET.
    let method = if method == "HEAD" { "GET" } else { method };
    is_operation.then(|| answer(method, path, &status.to_string(), code))
}

/// Whether it refuses a session on a route that the documents describe for programs only (docs/sessions.md).
fn is_for_pages(answer: &Answer) -> bool {
    let codes = ["session_required", "csrf_rejected", "json_content_type_required"];
    answer.contains(contract::paths::DEVELOPER) && codes.iter().any(|code| answer.ends_with(code))
}

/// Pages are refused without a code.
fn answer(method: &str, path: &str, status: &str, code: &str) -> Answer {
    let is_page = [contract::paths::PAGE, contract::paths::EMBED].iter().any(|prefix| path.starts_with(prefix));
    let code = if is_page { "" } else { code };
    format!("{method} {path} {status} {code}")
}

fn described_answers() -> Result<BTreeSet<Answer>> {
    let mut described = BTreeSet::new();
    for document in Document::ALL {
        let document: Value = serde_json::from_slice(&std::fs::read(document.path())?)?;
        for (path, item) in document["paths"].as_object().context("no paths")? {
            for (method, operation) in item.as_object().context("no operations")? {
                let responses = operation["responses"].as_object().context("no responses")?;
                for (status, response) in responses {
                    let method = method.to_uppercase();
                    described.extend(codes(response).into_iter().map(|code| answer(&method, path, status, code)));
                }
            }
        }
    }
    Ok(described)
}

/// The codes of a response: the names of its examples. A success has none.
fn codes(response: &Value) -> Vec<&str> {
    let examples = response["content"]["application/json"]["examples"].as_object();
    examples.map_or_else(|| vec![""], |examples| examples.keys().map(String::as_str).collect())
}
