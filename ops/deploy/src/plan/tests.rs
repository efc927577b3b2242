//! Tests of the plans for accounts with different resources.

use super::{ConsumerSettings, Permission, Refusal, Step, plan};
use crate::account::{Consumer, Found, Queue};
use crate::environment::Environment;
use crate::hosts::Hosts;
use crate::worker_config::REQUIRED_SECRETS;
use std::collections::BTreeSet;

fn environment() -> Environment {
    Environment::parse(include_str!("../../environments.example.toml"), "production").unwrap()
}

fn names(list: &[&str]) -> BTreeSet<String> {
    list.iter().map(|name| (*name).to_owned()).collect()
}

fn everything_created() -> Permission {
    let created =
        ["clipgate", "clipgate-edge", "clipgate-sessions", "clipgate-media", "clipgate-jobs", "clipgate-jobs-dead"];
    Permission { created: names(&created), ..Permission::default() }
}

fn queue(id: &str, max_retries: u64, dead_letters: Option<&str>) -> Queue {
    let consumer = Consumer {
        id: "c".to_owned(),
        kind: "http_pull".to_owned(),
        max_retries: Some(max_retries),
        dead_letters: dead_letters.map(str::to_owned),
    };
    Queue { id: id.to_owned(), consumer: Some(consumer) }
}

fn hosts() -> Hosts {
    Hosts { has_zone: true, ..Hosts::default() }
}

fn empty() -> Found {
    Found { hosts: hosts(), ..Found::default() }
}

fn complete() -> Found {
    Found {
        worker: true,
        secrets: names(&REQUIRED_SECRETS),
        database: Some("d".to_owned()),
        sessions: Some("s".to_owned()),
        bucket: true,
        queue: Some(queue("q", 5, Some("clipgate-jobs-dead"))),
        completions: None,
        dead_letters: Some(queue("x", 100, None)),
        hosts: hosts(),
    }
}

fn deploy(new_secrets: &[&str]) -> Step {
    let new_secrets = new_secrets.iter().map(|name| (*name).to_owned()).collect();
    Step::DeployWorker { new_secrets, replaced: Vec::new() }
}

#[test]
fn an_empty_account_gets_everything_in_an_order_that_works() {
    let steps = plan(&environment(), &empty(), &Permission::default()).unwrap();
    let described: Vec<_> = steps.iter().map(|step| step.describe(&environment())).collect();
    assert_eq!(
        described,
        [
            "create the D1 database clipgate",
            "create the KV namespace clipgate-sessions",
            "create the R2 bucket clipgate-media",
            "create the queue clipgate-jobs-dead",
            "allow origins to pull from clipgate-jobs-dead: 100 retries",
            "create the queue clipgate-jobs",
            "allow origins to pull from clipgate-jobs: 5 retries, then to clipgate-jobs-dead",
            "apply the pending migrations to clipgate",
            "deploy the Worker clipgate-edge with new values of KEY_PEPPER, SERVICE_TOKEN, ADMIN_TOKEN, WATCH_TOKEN, ORIGIN_SECRET, WEBHOOK_SECRET",
        ]
    );
}

#[test]
fn a_queue_of_completion_jobs_is_created_when_the_environment_asks_for_it() {
    let text = include_str!("../../environments.example.toml").replacen("# completions_queue", "completions_queue", 1);
    let environment = Environment::parse(&text, "production").unwrap();
    let steps = plan(&environment, &complete(), &everything_created()).unwrap();
    let described: Vec<_> = steps.iter().map(|step| step.describe(&environment)).collect();
    assert_eq!(
        described[..2],
        [
            "create the queue clipgate-completions",
            "allow origins to pull from clipgate-completions: 5 retries, then to clipgate-jobs-dead",
        ]
    );
    let mut created = everything_created();
    created.created.insert("clipgate-completions".to_owned());
    let found = Found { completions: Some(queue("y", 5, Some("clipgate-jobs-dead"))), ..complete() };
    assert_eq!(plan(&environment, &found, &created).unwrap(), [Step::Migrate, deploy(&[])]);
}

#[test]
fn a_complete_account_gets_only_the_new_version() {
    let steps = plan(&environment(), &complete(), &everything_created()).unwrap();
    assert_eq!(steps, [Step::Migrate, deploy(&[])]);
}

#[test]
fn a_consumer_with_other_settings_is_corrected() {
    let found = Found { queue: Some(queue("q", 3, None)), ..complete() };
    let steps = plan(&environment(), &found, &everything_created()).unwrap();
    let settings = ConsumerSettings { max_retries: 5, dead_letters: Some("clipgate-jobs-dead".to_owned()) };
    assert_eq!(steps[0], Step::SetConsumer { queue: "clipgate-jobs".to_owned(), settings });
}

#[test]
fn foreign_resources_are_used_only_if_the_operator_allows_it() {
    let found = Found { bucket: true, ..empty() };
    let refused = plan(&environment(), &found, &Permission::default());
    assert_eq!(refused, Err(Refusal::Foreign(vec!["clipgate-media".to_owned()])));
    let adopted = Permission { adopt: true, ..Permission::default() };
    assert!(!plan(&environment(), &found, &adopted).unwrap().contains(&Step::CreateBucket));
}

#[test]
fn lost_storage_is_not_replaced_silently() {
    let found = Found { database: None, ..complete() };
    let refused = plan(&environment(), &found, &everything_created());
    assert_eq!(refused, Err(Refusal::Lost(vec!["clipgate".to_owned()])));
    let recreated = Permission { recreate: true, ..everything_created() };
    assert_eq!(plan(&environment(), &found, &recreated).unwrap()[0], Step::CreateDatabase);
}

#[test]
fn a_queue_that_a_worker_consumes_is_left_alone() {
    let mut taken = queue("q", 5, None);
    taken.consumer.as_mut().unwrap().kind = "worker".to_owned();
    let found = Found { queue: Some(taken), ..complete() };
    let refused = plan(&environment(), &found, &everything_created());
    assert_eq!(refused, Err(Refusal::OtherConsumer("clipgate-jobs".to_owned())));
}

#[test]
fn a_missing_secret_is_generated_but_not_the_pepper_of_existing_keys() {
    let without = |name: &str| {
        let mut secrets = names(&REQUIRED_SECRETS);
        secrets.remove(name);
        Found { secrets, ..complete() }
    };
    let steps = plan(&environment(), &without("ADMIN_TOKEN"), &everything_created()).unwrap();
    assert_eq!(steps[1], deploy(&["ADMIN_TOKEN"]));
    let found = without("KEY_PEPPER");
    assert_eq!(plan(&environment(), &found, &everything_created()), Err(Refusal::NoPepper));
    let known = Permission { known_secrets: names(&["KEY_PEPPER"]), ..everything_created() };
    assert!(plan(&environment(), &found, &known).is_ok());
}

#[test]
fn what_is_at_the_host_for_uploads_is_replaced_only_if_the_operator_allows_it() {
    let by = vec!["the DNS record A 192.0.2.7".to_owned()];
    let found = Found { hosts: Hosts { replaced: by.clone(), ..hosts() }, ..empty() };
    let refused = plan(&environment(), &found, &Permission::default());
    assert_eq!(refused, Err(Refusal::TakenHost { host: "upload.clipgate.example".to_owned(), by }));
    let adopted = Permission { adopt: true, ..Permission::default() };
    let described = plan(&environment(), &found, &adopted).unwrap().pop().unwrap().describe(&environment());
    assert!(described.ends_with(", replacing the DNS record A 192.0.2.7 at upload.clipgate.example"), "{described}");
}

#[test]
fn a_foreign_zone_or_route_is_refused_whatever_the_operator_allows() {
    let adopted = Permission { adopt: true, ..Permission::default() };
    let refused = plan(&environment(), &Found::default(), &adopted);
    assert_eq!(refused, Err(Refusal::NoZone("clipgate.example".to_owned())));
    let taken = vec!["www.clipgate.example/embed/* (blog)".to_owned()];
    let found = Found { hosts: Hosts { taken_routes: taken.clone(), ..hosts() }, ..empty() };
    assert_eq!(plan(&environment(), &found, &adopted), Err(Refusal::TakenRoutes(taken)));
}
