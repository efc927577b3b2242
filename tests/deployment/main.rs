//! Tests `make deploy` against a fake account: an empty account, a repeated deployment, a failure at every request, and
//! foreign resources in the same account. The program and wrangler are the real ones.

mod closing;
mod explanations;
mod fake;
mod fsck;
mod hosts;
mod operator;
mod traffic;

use fake::{FakeAccount, Outage, TOKEN};
use operator::{Operator, assert_only_read, printed};
use serde_json::{Value, json};
use tests::project;

const SECRETS: [&str; 6] =
    ["ADMIN_TOKEN", "KEY_PEPPER", "ORIGIN_SECRET", "SERVICE_TOKEN", "WATCH_TOKEN", "WEBHOOK_SECRET"];

/// Describes the resources of an environment in the account, without the values of secrets.
fn summary(account: &FakeAccount, name: &str) -> Value {
    let worker = &account.workers.0[&format!("{name}-edge")];
    let queue = |suffix: &str| {
        let queue = &account.resources.queues[&format!("{name}-jobs{suffix}")];
        let consumer = &queue["consumers"][0];
        json!([queue["settings"], consumer["type"], consumer["settings"], consumer["dead_letter_queue"]])
    };
    json!({
        "migrations": account.resources.migrations(name),
        "queues": [queue(""), queue("-dead")],
        "bindings": worker.bindings(),
        "secrets": worker.secrets.keys().collect::<Vec<_>>(),
        "routes": worker.routes, "domains": worker.custom_domains, "schedules": worker.schedules,
    })
}

/// Returns the expected resources of a deployed environment. `hosts` are the host for uploads and the host for
/// everything else.
fn complete(name: &str, hosts: [&str; 2]) -> Value {
    let [upload_host, site_host] = hosts;
    let paths = [
        "api/php/developer/*",
        "api/php/user_settings/*",
        "api/report",
        "console",
        "console/*",
        "desk",
        "desk/*",
        "docs",
        "docs/*",
        "embed/*",
        "healthz",
        "internal/*",
        "media/*",
        "meme/*",
        "oembed",
        "scripts/*",
        "sitemap.xml",
        "sitemaps/*",
    ];
    let settings = json!({ "message_retention_period": 1_209_600 });
    json!({
        "migrations": migration_files(),
        "queues": [
            [settings, "http_pull", { "max_retries": 5 }, format!("{name}-jobs-dead")],
            [settings, "http_pull", { "max_retries": 100 }, null],
        ],
        "bindings": [
            format!("DB database-{name}"), format!("JOBS {name}-jobs"), format!("MEDIA {name}-media"),
            format!("SESSIONS namespace-{name}-sessions"),
        ],
        "secrets": SECRETS,
        "routes": paths.map(|path| format!("{site_host}/{path}")),
        "domains": [upload_host],
        "schedules": [{ "cron": "* * * * *" }],
    })
}

fn migration_files() -> usize {
    std::fs::read_dir(project().join("edge/migrations")).expect("migrations").count()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_empty_account_gets_everything_and_later_only_what_it_lacks() {
    let operator = Operator::new().await;
    let first = operator.deploy("production").await;
    let expected = complete("clipgate", ["upload.clipgate.example", "www.clipgate.example"]);
    operator.api.with(|account| assert_eq!(summary(account, "clipgate"), expected));
    secrets_are_only_in_the_record(&operator, &first);

    let worker = |account: &mut FakeAccount| account.workers.0["clipgate-edge"].clone();
    let before = operator.api.with(worker);
    operator.remove_secret("ADMIN_TOKEN");
    operator.api.with(|account| account.requests.clear());
    let second = operator.deploy("production").await;
    assert_eq!(second.lines().find(|line| line.contains("create")), None);
    assert!(second.contains("new values of ADMIN_TOKEN"), "{second}");
    let after = operator.api.with(worker);
    assert_eq!((after.versions, after.secrets), (2, before.secrets));
    let again = operator.api.with(|account| account.requests.iter().any(|request| request.contains("/import")));
    assert!(!again, "a migration was applied twice");

    // On a machine without a record of it, the pepper of existing keys cannot be restored.
    operator.remove_secret("KEY_PEPPER");
    let elsewhere = Operator { api: operator.api.clone(), records: tempfile::tempdir().expect("a folder") };
    let output = elsewhere.run("production", &["--adopt"], TOKEN).await;
    assert!(!output.status.success() && printed(&output).contains("KEY_PEPPER"), "{}", printed(&output));
}

/// Asserts that the secrets are in the Worker and in the record, but not in the output or the configuration.
fn secrets_are_only_in_the_record(operator: &Operator, printed: &str) {
    let record = operator.record("production");
    let config = std::fs::read_to_string(project().join("build/deploy/production/wrangler.json")).expect("a file");
    for name in SECRETS {
        let value = record["secrets"][name].as_str().expect("a secret");
        assert!(value.len() == 64 && !printed.contains(value) && !config.contains(value), "{name}");
        operator.api.with(|account| assert_eq!(account.workers.0["clipgate-edge"].secrets[name], value));
    }
}

/// Each run fails at the first request that has not failed yet, and the next run continues from there. Production, in
/// the same account, stays unchanged: not even a migration reaches its database.
#[tokio::test(flavor = "multi_thread")]
async fn a_deployment_that_fails_at_any_request_is_resumed_by_the_next() {
    let expected = complete("clipgate-staging", ["upload-staging.clipgate.example", "staging.clipgate.example"]);
    for outage in fixtures::cases(&[Outage::Changes][..], &[Outage::Changes, Outage::Before, Outage::After]) {
        let operator = Operator::new().await;
        operator.api.with(|account| {
            account.add_production();
            account.outage = Some(*outage);
        });
        let mut failures = 0;
        while !operator.run("staging", &[], TOKEN).await.status.success() {
            failures += 1;
            let failed = operator.api.with(|account| account.failed.clone());
            assert!(failures <= failed.len(), "{outage:?}: a run failed without an outage, after {failed:?}");
        }
        operator.api.with(|account| {
            println!("{outage:?}: {} requests failed once each, in {failures} runs", account.failed.len());
            assert!(failures >= 10, "only {failures} runs failed");
            assert_eq!(summary(account, "clipgate-staging"), expected, "{outage:?}");
            account.check_production();
        });
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn resources_of_others_stop_a_deployment_before_it_changes_anything() {
    let operator = Operator::new().await;
    operator.api.with(|account| account.resources.buckets.insert("clipgate-media".to_owned(), json!({})));
    let output = operator.run("production", &[], TOKEN).await;
    assert!(!output.status.success());
    assert!(printed(&output).contains("already has clipgate-media"), "{}", printed(&output));
    assert_only_read(&operator);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dry_run_says_what_would_be_done_and_does_nothing() {
    let operator = Operator::new().await;
    let output = operator.run("production", &["--dry-run"], TOKEN).await;
    assert!(output.status.success() && printed(&output).contains("create the R2 bucket clipgate-media"));
    assert_only_read(&operator);
    assert!(std::fs::read_dir(operator.records.path()).expect("a folder").next().is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_without_permission_is_explained() {
    let output = Operator::new().await.run("production", &[], "a-wrong-token").await;
    let printed = printed(&output);
    assert!(!output.status.success() && printed.contains("Authentication error") && printed.contains("docs/deploy.md"));
    assert!(!printed.contains("a-wrong-token"));
}

/// Each of the three deployments loses the answer to a change of the secrets (`DEEP=1`: to every change), and is
/// resumed.
#[tokio::test(flavor = "multi_thread")]
async fn the_pepper_is_replaced_in_three_deployments_of_which_each_can_be_resumed() {
    let operator = Operator::new().await;
    operator.deploy("production").await;
    let old = operator.peppers();
    let (Some(old_pepper), None) = old.clone() else { panic!("{old:?}") };
    assert_refused(&operator, "switch", "PEPPER=begin").await;
    assert_refused(&operator, "end", "PEPPER=begin").await;

    operator.change_pepper("begin").await;
    let (current, second) = operator.peppers();
    let new_pepper = second.expect("a second pepper");
    assert!(current == Some(old_pepper.clone()) && new_pepper.len() == 64 && new_pepper != old_pepper);
    assert_refused(&operator, "switch", "again in 120 minutes").await;
    assert_refused(&operator, "end", "PEPPER=switch").await;

    operator.forget_time_of_pepper();
    operator.change_pepper("switch").await;
    assert_eq!(operator.peppers(), (Some(new_pepper.clone()), Some(old_pepper.clone())));

    operator.change_pepper("end").await;
    assert_eq!(operator.peppers(), (Some(new_pepper.clone()), None));
    let record = operator.record("production");
    assert_eq!(
        (&record["secrets"]["KEY_PEPPER"], &record["retired_peppers"]),
        (&json!(new_pepper), &json!([old_pepper]))
    );
}

async fn assert_refused(operator: &Operator, step: &str, reason: &str) {
    let before = operator.peppers();
    let output = operator.run("production", &["--pepper", step], TOKEN).await;
    assert!(!output.status.success() && printed(&output).contains(reason), "{}", printed(&output));
    assert_eq!(operator.peppers(), before);
}
