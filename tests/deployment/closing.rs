//! The service is closed and opened by one secret, without a deployment. No deployment changes it back.

use crate::explanations::serve;
use crate::fake::{FakeAccount, TOKEN};
use crate::operator::{Operator, printed};
use axum::http::StatusCode;
use deploy::smoke::wait_until_closed;
use std::time::Duration;

/// Runs the program and returns the requests that change something.
async fn changes(operator: &Operator, arguments: &[&str]) -> Vec<String> {
    operator.api.with(|account| account.requests.clear());
    let output = operator.run("production", arguments, TOKEN).await;
    assert!(output.status.success(), "{}", printed(&output));
    operator
        .api
        .with(|account| account.requests.iter().filter(|request| !request.starts_with("GET ")).cloned().collect())
}

#[tokio::test(flavor = "multi_thread")]
async fn closing_changes_one_secret_and_only_opening_takes_it_back() {
    let operator = Operator::new().await;
    operator.deploy("production").await;
    let closed = |account: &mut FakeAccount| account.workers.0["clipgate-edge"].secrets.get("CLOSED").cloned();
    assert_eq!(operator.api.with(closed), None);

    assert_eq!(changes(&operator, &["--close"]).await, ["PUT workers/scripts/clipgate-edge/secrets"]);
    assert_eq!(operator.api.with(closed).as_deref(), Some("true"));
    let deployed = operator.deploy("production").await;
    assert!(deployed.contains("still closed. `make open ENV=production` opens it"), "{deployed}");
    assert_eq!(operator.api.with(closed).as_deref(), Some("true"));

    for _ in 0..2 {
        assert_eq!(changes(&operator, &["--open"]).await, ["DELETE workers/scripts/clipgate-edge/secrets/CLOSED"]);
        assert_eq!(operator.api.with(closed), None);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_service_is_closed_once_it_answers_503_to_everybody() {
    let closed = serve(StatusCode::SERVICE_UNAVAILABLE, &[], "").await;
    let open = serve(StatusCode::OK, &[], "{}").await;
    for (address, is_closed, other) in [(&closed, true, "still closed"), (&open, false, "still open")] {
        wait_until_closed(address, is_closed, Duration::ZERO).await.expect("it is in this state");
        let error = wait_until_closed(address, !is_closed, Duration::ZERO).await.expect_err("it is not");
        assert!(format!("{error:#}").contains(other), "{error:#}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_does_not_exist_cannot_be_closed() {
    let output = Operator::new().await.run("production", &["--close"], TOKEN).await;
    assert!(!output.status.success() && printed(&output).contains("not found"), "{}", printed(&output));
}
