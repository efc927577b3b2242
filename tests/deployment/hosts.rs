//! Obstacles at the hosts of an environment: DNS records, and the domains and routes of other Workers.

use crate::fake::{FakeAccount, TOKEN};
use crate::operator::{Operator, assert_only_read, printed};

/// Runs a deployment that meets an obstacle at its hosts, and asserts that it changes nothing and prints this reason.
async fn assert_stops(prepare: impl FnOnce(&mut FakeAccount), reason: &str) -> Operator {
    let operator = Operator::new().await;
    operator.api.with(prepare);
    let output = operator.run("production", &[], TOKEN).await;
    assert!(!output.status.success() && printed(&output).contains(reason), "{}", printed(&output));
    assert_only_read(&operator);
    operator
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dns_record_at_the_host_for_uploads_is_replaced_only_if_the_operator_allows_it() {
    let add = |account: &mut FakeAccount| account.zones.add_record("CNAME", "upload.clipgate.example", "other.example");
    let operator = assert_stops(add, "upload.clipgate.example: the DNS record CNAME other.example").await;
    operator.api.with(|account| assert_eq!(account.zones.records.len(), 1));
    let planned = printed(&operator.run("production", &["--dry-run", "--adopt"], TOKEN).await);
    assert!(planned.contains("replacing the DNS record CNAME other.example at upload.clipgate.example"), "{planned}");
    let output = operator.run("production", &["--adopt"], TOKEN).await;
    assert!(output.status.success(), "{}", printed(&output));
    operator.api.with(|account| assert!(account.zones.records.is_empty()));
    // The host now belongs to this Worker, so no permission is needed.
    operator.deploy("production").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_domain_of_another_worker_is_taken_only_if_the_operator_allows_it() {
    let host = "upload.clipgate.example".to_owned();
    let add = |account: &mut FakeAccount| account.workers.add_domain("blog", &host);
    let operator = assert_stops(add, "upload.clipgate.example: the custom domain of the Worker blog").await;
    operator.api.with(|account| assert!(account.workers.0["blog"].custom_domains.contains(&host)));
    let output = operator.run("production", &["--adopt"], TOKEN).await;
    assert!(output.status.success(), "{}", printed(&output));
    operator.api.with(|account| assert!(account.workers.0["clipgate-edge"].custom_domains.contains(&host)));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_route_of_another_worker_and_a_foreign_zone_stop_a_deployment_before_the_migrations() {
    let pattern = "www.clipgate.example/embed/*";
    assert_stops(|account| account.workers.add_route("blog", pattern), "www.clipgate.example/embed/* (blog)").await;
    assert_stops(|account| account.zones.names.clear(), "no zone clipgate.example").await;
}
