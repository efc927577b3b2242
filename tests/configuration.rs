//! Checks the deployment: settings of each environment, size of the release build, no development routes, tools locked
//! for every platform, and a release that names its version everywhere.

mod release;

use anyhow::{Context, Result, ensure};
use contract::limits::{DEFAULT_MAX_OPEN_UPLOADS, KEY_REQUESTS_SECONDS, MAX_KEY_REQUESTS, MAX_UNKNOWN_KEY_REQUESTS};
use deploy::account::Storage;
use deploy::environment::Environment;
use deploy::worker_config::worker_config;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::process::Command;
use tests::project;
use toml::Table;

/// The free plan allows 3 MiB, but the start-up time grows with the size, so every growth should be deliberate. Jobs
/// and statuses take about 100 KiB of this; serving, the page, publication and moderation about 100 KiB; changes by
/// the owner and the event log 26 KiB; webhooks, metrics, named tokens, the trail, suspensions, flags and the packed
/// blocklist 159 KiB together; the removal log and fsck 30 KiB; thumbnails that owners send 11 KiB; traces and
/// compaction 33 KiB; captions that owners send 30 KiB, 3 of them for captions with the upload; names that the API
/// does not define, daily limits of changes, reported videos that are deleted, and metrics by route 17 KiB; structure
/// in foreign places 8 KiB; the life of a video in Rust instead of triggers 55 KiB; resumable uploads 141 KiB, most of
/// them to save and restore the state of the prober for each container; direct uploads and releases 52 KiB; failures
/// of jobs, lost races, small uploads that are judged before they take a slot, and last frames 37 KiB; sentences that
/// say what was wrong with a request and what to send instead 25 KiB; uploads that end although their client is gone,
/// and lost messages 9 KiB; failed requests for their owners about 35 KiB, and turns of changes of one video 5 KiB;
/// labels, visibility and statistics 17 KiB; comparing videos for moderators, receipts and searches 40 KiB. Most of
/// the other growth is code that reads and writes JSON. These numbers are from before the crate `edge` was optimised
/// for size, which saved 105 KiB.
const GZIPPED_CEILING: usize = 1520 * 1024;

fn wrangler_toml() -> Result<Table> {
    Ok(std::fs::read_to_string(project().join("wrangler.toml"))?.parse()?)
}

/// Returns the configuration that `make deploy` gives wrangler for each environment.
fn deployed_configurations() -> Result<Vec<Value>> {
    let wrangler_toml = std::fs::read_to_string(project().join("wrangler.toml"))?;
    let table = std::fs::read_to_string(project().join("ops/deploy/environments.example.toml"))?;
    let names = table.parse::<Table>()?.keys().cloned().collect::<Vec<_>>();
    let storage = Storage { database_id: "database".to_owned(), sessions_id: "sessions".to_owned() };
    let configuration =
        |name: &String| worker_config(&wrangler_toml, &Environment::parse(&table, name)?, &storage, ".");
    names.iter().map(configuration).collect()
}

/// Clients read these numbers in docs/publish/limits.md, and the period as `Retry-After`.
#[test]
fn every_environment_has_the_documented_limits() -> Result<()> {
    for environment in deployed_configurations()? {
        let max_open_uploads = environment["vars"]["MAX_OPEN_UPLOADS"].as_str().context("no MAX_OPEN_UPLOADS")?;
        ensure!(max_open_uploads.parse() == Ok(DEFAULT_MAX_OPEN_UPLOADS), "MAX_OPEN_UPLOADS is {max_open_uploads}");
        let limits = environment["ratelimits"].as_array().context("no rate limits")?;
        let limits: BTreeSet<String> =
            limits.iter().map(|limit| format!("{} {}", limit["name"], limit["simple"])).collect();
        let expected = [("KEY_RATE", MAX_KEY_REQUESTS), ("ADDRESS_RATE", MAX_UNKNOWN_KEY_REQUESTS)];
        let expected =
            expected.map(|(name, limit)| format!("\"{name}\" {{\"limit\":{limit},\"period\":{KEY_REQUESTS_SECONDS}}}"));
        assert_eq!(limits, BTreeSet::from(expected));
    }
    Ok(())
}

/// Without the variable, a deployed Worker would send parts of files, which the cache does not store, and responses
/// without tags, which could not be purged. A cache that outlives a version would serve responses by old rules.
#[test]
fn every_deployed_worker_is_behind_a_cache_of_its_own_version() -> Result<()> {
    let local = wrangler_toml()?;
    ensure!(local["vars"]["CACHE_IN_FRONT"].as_str() == Some("false"), "wrangler has no cache");
    let deployed = deployed_configurations()?;
    ensure!(deployed.len() >= 2);
    for environment in deployed {
        ensure!(environment["cache"] == json!({ "enabled": true }), "{}", environment["cache"]);
        ensure!(environment["vars"]["CACHE_IN_FRONT"] == "true");
        ensure!(environment["vars"].get("CLOSED").is_none(), "a deployment would open a closed service");
        ensure!(environment["vars"].get("CACHE_PURGE_URL").is_none(), "it would purge a local cache");
    }
    Ok(())
}

/// If a registry does not have the package of a platform, `npm install` leaves it out of the lock file, and `npm ci`
/// then rejects the file on every machine.
#[test]
fn the_tools_are_locked_for_every_platform() -> Result<()> {
    for lock in ["package-lock.json", "tests/description/package-lock.json"] {
        ensure_locked_for_every_platform(lock).context(lock)?;
    }
    Ok(())
}

fn ensure_locked_for_every_platform(lock: &str) -> Result<()> {
    let lock = std::fs::read_to_string(project().join(lock))?;
    let lock: Value = serde_json::from_str(&lock)?;
    let packages = lock["packages"].as_object().context("the lock file has no packages")?;
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
fn no_secret_is_in_the_configuration_file() -> Result<()> {
    let text = std::fs::read_to_string(project().join("wrangler.toml"))?;
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let secret_names = [
            "KEY_PEPPER",
            "SERVICE_TOKEN",
            "ADMIN_TOKEN",
            "WATCH_TOKEN",
            "WEBHOOK_SECRET",
            "accessKeyId",
            "secretAccessKey",
        ];
        ensure!(secret_names.iter().all(|name| !line.contains(name)), "{line}");
    }
    Ok(())
}

/// Uses the local D1, to which the same command applies a migration as in production. wrangler's own list must agree.
#[test]
fn each_migration_is_applied_once() -> Result<()> {
    let state = tempfile::tempdir()?;
    let run = |program: &str, arguments: &[&str]| -> Result<String> {
        let mut command = Command::new(project().join(program));
        command.args(arguments).arg("--local").arg("--persist-to").arg(state.path());
        command.current_dir(project()).env("CI", "1").env("WRANGLER_SEND_METRICS", "false");
        let output = command.output()?;
        let printed = String::from_utf8(output.stdout)?;
        ensure!(output.status.success(), "{program}: {printed}{}", String::from_utf8_lossy(&output.stderr));
        Ok(printed)
    };
    let files = std::fs::read_dir(project().join("edge/migrations"))?.count();
    ensure!(run("edge/migrate", &[])?.lines().count() == files);
    ensure!(run("edge/migrate", &[])?.is_empty(), "a migration was applied twice");
    let list = ["node_modules/wrangler/wrangler-dist/cli.js", "d1", "migrations", "list", "clipgate"];
    let listed = run("node_modules/.bin/node", &list)?;
    ensure!(listed.contains("No migrations to apply"), "{listed}");
    Ok(())
}

#[test]
fn the_release_worker_has_no_development_routes() -> Result<()> {
    let has_development_routes = |variant: &str| -> Result<bool> {
        let wasm = std::fs::read(project().join(format!("build/{variant}/index_bg.wasm")))?;
        Ok(wasm.windows(10).any(|window| window == b"/dev/panic"))
    };
    ensure!(has_development_routes("development")?, "the search finds nothing");
    ensure!(!has_development_routes("release")?);
    Ok(())
}

/// Without vector instructions, the blocklist search silently becomes several times slower. The rest of the Worker,
/// built for size, has hardly any.
#[test]
fn the_search_of_the_blocklist_is_compiled_to_vector_instructions() -> Result<()> {
    const ADD_SIXTEEN_BYTES: [u8; 2] = [0xFD, 0x6E];
    let wasm = std::fs::read(project().join("build/release/index_bg.wasm"))?;
    let additions = wasm.windows(2).filter(|window| *window == ADD_SIXTEEN_BYTES).count();
    ensure!(additions >= 32, "{additions} vector additions");
    Ok(())
}

#[test]
fn the_release_worker_stays_small() -> Result<()> {
    let wasm = project().join("build/release/index_bg.wasm");
    let gzip = Command::new("gzip").args(["-9", "-c"]).arg(wasm).output()?;
    ensure!(gzip.status.success());
    let (size, ceiling) = (gzip.stdout.len() / 1024, GZIPPED_CEILING / 1024);
    println!("the release Worker: {size} KiB gzipped, ceiling {ceiling} KiB");
    ensure!(size > 50 && gzip.stdout.len() < GZIPPED_CEILING, "{size} KiB of {ceiling} KiB");
    Ok(())
}

/// Returns the values of a key in a YAML file that has each value on one line.
fn yaml_values<'a>(text: &'a str, key: &'a str) -> impl Iterator<Item = &'a str> {
    text.lines().filter_map(move |line| line.trim_start_matches([' ', '-']).strip_prefix(key)?.strip_prefix(": "))
}

/// Returns the anchor by which links refer to a heading.
fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|one| one.is_alphanumeric() || " -".contains(*one));
    kept.map(|one| if one == ' ' { '-' } else { one.to_ascii_lowercase() }).collect()
}

#[test]
fn every_alert_is_tested_and_links_to_a_section_of_the_runbook() -> Result<()> {
    let read = |path: &str| std::fs::read_to_string(project().join(path)).with_context(|| path.to_owned());
    let (alerts, cases) = (read("ops/monitoring/alerts.yml")?, read("ops/monitoring/alerts_test.yml")?);
    let runbook = read("docs/runbook.md")?;
    let headings =
        runbook.lines().filter_map(|line| line.strip_prefix("##")?.trim_start_matches('#').strip_prefix(' '));
    let sections: BTreeSet<String> = headings.map(|heading| format!("docs/runbook.md#{}", anchor(heading))).collect();
    let names: BTreeSet<_> = yaml_values(&alerts, "alert").collect();
    let links: Vec<_> = yaml_values(&alerts, "runbook_url").collect();
    ensure!(names.len() > 20 && links.len() == names.len(), "{} alerts, {} links", names.len(), links.len());
    for link in links {
        ensure!(sections.contains(link), "{link} is not one of {sections:#?}");
    }
    assert_eq!(yaml_values(&cases, "alertname").collect::<BTreeSet<_>>(), names);
    let untold: Vec<_> = names.iter().filter(|name| !runbook.contains(&format!("`{name}`"))).collect();
    ensure!(untold.is_empty(), "the runbook does not name {untold:?}");
    Ok(())
}
