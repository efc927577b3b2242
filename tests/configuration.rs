//! What is deployed: the same bindings in every environment, a release build without development routes, its size.
//! And what it is built with: tools that are locked for every platform.

use anyhow::{Context, Result, ensure};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use toml::{Table, Value};

/// The free plan takes 3 MiB, but start-up time grows with size, so growth has to be meant. Of this, the jobs and statuses
/// are about 100 KiB, and delivery, the page, publication and moderation about 80: most of it is one more reader and
/// writer of JSON for each type.
const GZIPPED_CEILING: usize = 600 * 1024;

fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn wrangler_toml() -> Result<Table> {
    Ok(std::fs::read_to_string(project().join("wrangler.toml"))?.parse()?)
}

fn environments(configuration: &Table) -> Vec<&String> {
    configuration
        .get("env")
        .and_then(Value::as_table)
        .into_iter()
        .flat_map(Table::keys)
        .collect()
}

/// What the Worker finds in an environment: `kind binding`, and the names of its variables.
fn bindings(environment: &Table) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (kind, value) in environment {
        match (kind.as_str(), value) {
            ("env", _) => {}
            ("vars", Value::Table(vars)) => {
                found.extend(vars.keys().map(|name| format!("vars {name}")));
            }
            (_, Value::Array(entries)) => {
                found.extend(entries.iter().filter_map(|entry| binding(kind, entry)));
            }
            (_, Value::Table(table)) => {
                let lists = table
                    .iter()
                    .filter_map(|(name, list)| Some((name, list.as_array()?)));
                for (name, entries) in lists {
                    found.extend(
                        entries
                            .iter()
                            .filter_map(|entry| binding(&format!("{kind}.{name}"), entry)),
                    );
                }
            }
            _ => {}
        }
    }
    found
}

fn binding(kind: &str, entry: &Value) -> Option<String> {
    let name = entry
        .get("binding")
        .or_else(|| entry.get("queue"))
        .or_else(|| entry.get("name"))?
        .as_str()?;
    Some(format!("{kind} {name}"))
}

#[test]
fn every_environment_has_the_same_bindings_and_variables() -> Result<()> {
    let configuration = wrangler_toml()?;
    let local = bindings(&configuration);
    ensure!(
        local.len() >= 7,
        "the comparison sees too little: {local:?}"
    );
    for name in environments(&configuration) {
        let environment = configuration["env"][name]
            .as_table()
            .context("an environment is a table")?;
        assert_eq!(bindings(environment), local, "environment {name}");
        ensure!(
            environment.contains_key("assets"),
            "environment {name} serves no files"
        );
    }
    Ok(())
}

/// An `npm install` where a registry lacks a platform's package leaves that package out of the lock file, and
/// `npm ci` then refuses the file on every machine.
#[test]
fn the_tools_are_locked_for_every_platform() -> Result<()> {
    let lock = std::fs::read_to_string(project().join("package-lock.json"))?;
    let lock: serde_json::Value = serde_json::from_str(&lock)?;
    let packages = lock["packages"]
        .as_object()
        .context("the lock file has no packages")?;
    for (path, package) in packages {
        let optional = package["optionalDependencies"].as_object();
        for name in optional.into_iter().flat_map(|names| names.keys()) {
            let hoisted = format!("node_modules/{name}");
            let nested = format!("{path}/{hoisted}");
            ensure!(
                packages.contains_key(&hoisted) || packages.contains_key(&nested),
                "{path} may need {name}, which is not locked"
            );
        }
    }
    Ok(())
}

#[test]
fn no_secret_is_configured_in_the_open() -> Result<()> {
    let text = std::fs::read_to_string(project().join("wrangler.toml"))?;
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let names_one = [
            "KEY_PEPPER",
            "SERVICE_TOKEN",
            "ADMIN_TOKEN",
            "accessKeyId",
            "secretAccessKey",
        ];
        ensure!(names_one.iter().all(|name| !line.contains(name)), "{line}");
    }
    Ok(())
}

#[test]
fn each_environment_can_be_deployed() -> Result<()> {
    let configuration = wrangler_toml()?;
    let mut names = vec![String::new()];
    names.extend(environments(&configuration).into_iter().cloned());
    for name in names {
        let output =
            std::env::temp_dir().join(format!("clipgate-dry-run-{}-{name}", std::process::id()));
        let mut command = Command::new(project().join("node_modules/.bin/node"));
        command.arg(project().join("node_modules/wrangler/wrangler-dist/cli.js"));
        command
            .args(["deploy", "--dry-run", "--env", &name, "--outdir"])
            .arg(&output);
        command
            .current_dir(project())
            .env("CI", "1")
            .env("WRANGLER_SEND_METRICS", "false");
        let ran = command.output()?;
        let _ = std::fs::remove_dir_all(&output);
        let printed = String::from_utf8_lossy(&[ran.stdout, ran.stderr].concat()).into_owned();
        ensure!(ran.status.success(), "deploying '{name}':\n{printed}");
    }
    Ok(())
}

/// On the local D1, which takes a file by the same command; wrangler's own list must agree.
#[test]
fn the_migrations_are_applied_each_once() -> Result<()> {
    let state = tempfile::tempdir()?;
    let run = |program: &str, arguments: &[&str]| -> Result<String> {
        let mut command = Command::new(project().join(program));
        command
            .args(arguments)
            .arg("--local")
            .arg("--persist-to")
            .arg(state.path());
        command
            .current_dir(project())
            .env("CI", "1")
            .env("WRANGLER_SEND_METRICS", "false");
        let ran = command.output()?;
        let printed = String::from_utf8(ran.stdout)?;
        ensure!(
            ran.status.success(),
            "{program}: {printed}{}",
            String::from_utf8_lossy(&ran.stderr)
        );
        Ok(printed)
    };
    let files = std::fs::read_dir(project().join("edge/migrations"))?.count();
    ensure!(run("edge/migrate", &[])?.lines().count() == files);
    ensure!(
        run("edge/migrate", &[])?.is_empty(),
        "one was applied twice"
    );
    let list = [
        "node_modules/wrangler/wrangler-dist/cli.js",
        "d1",
        "migrations",
        "list",
        "clipgate",
    ];
    let listed = run("node_modules/.bin/node", &list)?;
    ensure!(listed.contains("No migrations to apply"), "{listed}");
    Ok(())
}

#[test]
fn the_release_worker_has_no_development_routes() -> Result<()> {
    let has_them = |variant: &str| -> Result<bool> {
        let wasm = std::fs::read(project().join(format!("build/{variant}/index_bg.wasm")))?;
        Ok(wasm.windows(10).any(|window| window == b"/dev/panic"))
    };
    ensure!(has_them("development")?, "the search itself is wrong");
    ensure!(!has_them("release")?);
    Ok(())
}

#[test]
fn the_release_worker_stays_small() -> Result<()> {
    let wasm = project().join("build/release/index_bg.wasm");
    let gzip = Command::new("gzip").args(["-9", "-c"]).arg(wasm).output()?;
    ensure!(gzip.status.success());
    let (size, ceiling) = (gzip.stdout.len() / 1024, GZIPPED_CEILING / 1024);
    println!("the release Worker: {size} KiB gzipped, ceiling {ceiling} KiB");
    ensure!(
        size > 50 && gzip.stdout.len() < GZIPPED_CEILING,
        "{size} KiB of {ceiling} KiB"
    );
    Ok(())
}
