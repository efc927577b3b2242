//! `clipgate-watch traffic` asks Cloudflare for the requests of the last minutes.

use crate::fake::{ACCOUNT, FakeApi, TOKEN};
use crate::operator::{printed, program};
use serde_json::json;
use std::path::Path;
use std::process::Output;

async fn watch(api: &FakeApi, dataset: &str, output: &Path, token: &str) -> Output {
    let mut command = tokio::process::Command::new(program("clipgate-watch"));
    command.args(["traffic", "--dataset", dataset, "--output"]).arg(output);
    command.env("CLOUDFLARE_API_BASE_URL", &api.address).env("CLOUDFLARE_API_TOKEN", token);
    command.env("CLOUDFLARE_ACCOUNT_ID", ACCOUNT).output().await.expect("the program starts")
}

#[tokio::test(flavor = "multi_thread")]
async fn the_requests_of_the_last_minutes_become_metrics() {
    let api = FakeApi::start().await;
    api.with(|account| {
        let upload = "/api/php/developer/upload_video";
        let counts = json!([{ "route": upload, "status": "200", "requests": "40" },
            { "route": upload, "status": "500", "requests": "2" }]);
        let costs = json!([{ "route": upload, "p50": 700, "p99": 2500, "rows_read": 2688, "rows_written": 1008 }]);
        account.analytics = [counts, costs].into();
    });
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("clipgate_traffic.prom");
    let output = watch(&api, "clipgate_requests", &file, TOKEN).await;
    assert!(output.status.success() && output.stdout.is_empty(), "{}", printed(&output));
    let metrics = std::fs::read_to_string(&file).expect("a file");
    for line in [
        "clipgate_traffic_requests{route=\"/api/php/developer/upload_video\",status=\"500\"} 2",
        "clipgate_traffic_seconds{route=\"/api/php/developer/upload_video\",percentile=\"99\"} 2.5",
        "clipgate_traffic_rows_read{route=\"/api/php/developer/upload_video\"} 2688",
    ] {
        assert!(metrics.lines().any(|other| other == line), "no {line} in {metrics}");
    }
    api.with(|account| assert!(account.queries.iter().all(|sql| sql.contains(" FROM clipgate_requests "))));

    // A failure leaves the file of the last run, whose time shows its age.
    let output = watch(&api, "clipgate_requests", &file, "a-wrong-token").await;
    assert!(!output.status.success() && printed(&output).contains("docs/deploy.md"), "{}", printed(&output));
    assert_eq!(std::fs::read_to_string(&file).expect("a file"), metrics);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_name_of_a_dataset_cannot_be_a_query() {
    let api = FakeApi::start().await;
    let output = watch(&api, "clipgate; SELECT 1", Path::new("unused"), TOKEN).await;
    assert!(!output.status.success() && printed(&output).contains("letters, digits"), "{}", printed(&output));
    api.with(|account| assert!(account.requests.is_empty()));
}
