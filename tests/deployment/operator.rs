//! An operator's machine, from which the tests deploy to a fake account.

use crate::fake::{ACCOUNT, FakeApi, Outage, TOKEN};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::process::Output;
use tests::project;

/// An operator's machine with the record of its deployments, and an account.
pub(crate) struct Operator {
    pub(crate) api: FakeApi,
    pub(crate) records: tempfile::TempDir,
}

impl Operator {
    pub(crate) async fn new() -> Self {
        Self { api: FakeApi::start().await, records: tempfile::tempdir().expect("a folder") }
    }

    /// Deploys, and asserts that this succeeds.
    pub(crate) async fn deploy(&self, environment: &str) -> String {
        let output = self.run(environment, &[], TOKEN).await;
        assert!(output.status.success(), "{}", printed(&output));
        printed(&output)
    }

    /// Runs the program as `make deploy` does, without waiting for a Worker that cannot answer.
    pub(crate) async fn run(&self, environment: &str, arguments: &[&str], token: &str) -> Output {
        self.run_as(ACCOUNT, environment, arguments, token).await
    }

    /// Runs the program with this id of an account.
    pub(crate) async fn run_as(&self, account: &str, environment: &str, arguments: &[&str], token: &str) -> Output {
        let mut command = tokio::process::Command::new(program("clipgate-deploy"));
        command.args([environment, "--wait", "0", "--records"]).arg(self.records.path()).args(arguments);
        command.env("CLIPGATE_ENVIRONMENTS", project().join("ops/deploy/environments.example.toml"));
        command.env("CLOUDFLARE_API_BASE_URL", &self.api.address).env("CLOUDFLARE_API_TOKEN", token);
        command.env("CLOUDFLARE_ACCOUNT_ID", account);
        command.output().await.expect("the program starts")
    }

    /// Removes a secret from the Worker, as is possible in the dashboard.
    pub(crate) fn remove_secret(&self, name: &str) {
        let removed = self
            .api
            .with(|account| account.workers.0.get_mut("clipgate-edge").and_then(|worker| worker.secrets.remove(name)));
        assert!(removed.is_some(), "the Worker has no {name}");
    }

    /// Performs a step of the pepper's replacement, and resumes it after a failure of each of its changes.
    pub(crate) async fn change_pepper(&self, step: &str) {
        self.api.with(|account| {
            account.failed.clear();
            account.outage = Some(Outage::Changes);
            // Every run of wrangler takes seconds, so only requests that change secrets fail in an everyday run.
            account.outage_of = fixtures::cases(&["/clipgate-edge", "/versions", "/KEY_PEPPER_SECOND"], &[]);
        });
        let (mut failures, mut output) = (0, self.run("production", &["--pepper", step], TOKEN).await);
        while !output.status.success() {
            failures += 1;
            let failed = self.api.with(|account| account.failed.len());
            assert!(failures <= failed, "{step}: a run failed without an outage: {}", printed(&output));
            output = self.run("production", &["--pepper", step], TOKEN).await;
        }
        let failed = self.api.with(|account| account.failed.clone());
        assert!(!failed.is_empty(), "no request of {step} failed");
        println!("{step}: done after {failures} failures and these lost answers: {failed:?}");
        self.api.with(|account| account.outage = None);
        for secret in [self.peppers().0, self.peppers().1].into_iter().flatten() {
            assert!(!printed(&output).contains(&secret));
        }
    }

    /// Returns the peppers of the Worker: the current one and the second one.
    pub(crate) fn peppers(&self) -> (Option<String>, Option<String>) {
        self.api.with(|account| {
            let secrets = &account.workers.0["clipgate-edge"].secrets;
            (secrets.get("KEY_PEPPER").cloned(), secrets.get("KEY_PEPPER_SECOND").cloned())
        })
    }

    /// Backdates the beginning of the pepper's replacement.
    pub(crate) fn forget_time_of_pepper(&self) {
        let mut record = self.record("production");
        record["pepper_change"]["begun_at_unix"] = json!(0);
        std::fs::write(self.records.path().join("production.json"), record.to_string()).expect("a record");
    }

    pub(crate) fn record(&self, environment: &str) -> Value {
        let text = std::fs::read(self.records.path().join(format!("{environment}.json"))).expect("a record");
        serde_json::from_slice(&text).expect("JSON")
    }
}

/// Returns the path of a program, which is beside the folder of the tests.
pub(crate) fn program(name: &str) -> PathBuf {
    let this = std::env::current_exe().expect("this program");
    let program = this.ancestors().nth(2).expect("a target folder").join(name);
    assert!(program.exists(), "run `make test-programs` first");
    program
}

pub(crate) fn printed(output: &Output) -> String {
    String::from_utf8_lossy(&[&output.stdout[..], &output.stderr].concat()).into_owned()
}

/// Asserts that requests changed nothing.
pub(crate) fn assert_only_read(operator: &Operator) {
    operator.api.with(|account| {
        assert!(account.requests.len() > 3);
        assert_eq!(account.requests.iter().find(|request| !request.starts_with("GET ")), None);
    });
}
