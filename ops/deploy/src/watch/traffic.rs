//! The requests of the last minutes by route, from the data points that the Worker writes into Workers Analytics
//! Engine.

use super::canary::seconds;
use super::exposition::Exposition;
use crate::cloudflare::Account;
use anyhow::{Context, Result, ensure};
use contract::traffic::column;
use serde_json::Value;

/// The period that the numbers cover.
const MINUTES: u32 = 10;

/// The numbers of the last minutes.
#[derive(Debug, Default)]
pub struct Traffic {
    by_status: Vec<Value>,
    by_route: Vec<Value>,
}

impl Traffic {
    pub async fn read(account: &Account, dataset: &str) -> Result<Self> {
        let is_name = dataset.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        ensure!(is_name && !dataset.is_empty(), "a dataset has letters, digits and underscores");
        let by_status = account.analytics(by_status(dataset)?).await?;
        let by_route = account.analytics(by_route(dataset)?).await?;
        Ok(Self { by_status, by_route })
    }

    /// Returns the metrics.
    pub fn metrics(&self, now_unix: u64) -> Result<String> {
        let mut page = Exposition::default();
        page.metric("clipgate_traffic_requests", "Requests that reached the Worker in the last 10 minutes.");
        for row in &self.by_status {
            let labels = [("route", text(row, "route")?), ("status", text(row, "status")?)];
            page.sample("clipgate_traffic_requests", &labels, number(row, "requests")?);
        }
        page.metric("clipgate_traffic_seconds", "Duration of these requests, until the response begins.");
        for row in &self.by_route {
            for (percentile, field) in [("50", "p50"), ("99", "p99")] {
                let labels = [("route", text(row, "route")?), ("percentile", percentile)];
                page.sample("clipgate_traffic_seconds", &labels, number(row, field)? / 1000.0);
            }
        }
        for (name, help, field) in [
            ("clipgate_traffic_rows_read", "Rows that D1 read for these requests.", "rows_read"),
            ("clipgate_traffic_rows_written", "Rows that D1 wrote for these requests.", "rows_written"),
        ] {
            page.metric(name, help);
            for row in &self.by_route {
                page.sample(name, &[("route", text(row, "route")?)], number(row, field)?);
            }
        }
        page.metric("clipgate_traffic_timestamp_seconds", "Unix time at which these numbers were read.");
        page.sample("clipgate_traffic_timestamp_seconds", &[], seconds(now_unix));
        Ok(page.into_text())
    }
}

/// A stored data point stands for `_sample_interval` requests.
fn by_status(dataset: &str) -> Result<String> {
    let [route, status] = [name("route")?, name("status")?];
    Ok(format!(
        "SELECT {route} AS route, {status} AS status, SUM(_sample_interval) AS requests FROM {dataset} \
         WHERE timestamp > NOW() - INTERVAL '{MINUTES}' MINUTE GROUP BY route, status FORMAT JSON"
    ))
}

fn by_route(dataset: &str) -> Result<String> {
    let [route, duration] = [name("route")?, name("duration_ms")?];
    let [read, written] = [name("d1_rows_read")?, name("d1_rows_written")?];
    Ok(format!(
        "SELECT {route} AS route, quantileExactWeighted(0.5)({duration}, _sample_interval) AS p50, \
         quantileExactWeighted(0.99)({duration}, _sample_interval) AS p99, SUM(_sample_interval * {read}) AS rows_read, \
         SUM(_sample_interval * {written}) AS rows_written FROM {dataset} \
         WHERE timestamp > NOW() - INTERVAL '{MINUTES}' MINUTE GROUP BY route FORMAT JSON"
    ))
}

fn name(column_name: &str) -> Result<String> {
    column(column_name).with_context(|| format!("a data point has no {column_name}"))
}

fn text<'a>(row: &'a Value, field: &str) -> Result<&'a str> {
    row[field].as_str().with_context(|| format!("a row has no {field}"))
}

/// Parses a number. Whole numbers arrive as strings.
fn number(row: &Value, field: &str) -> Result<f64> {
    let number = row[field].as_f64().or_else(|| row[field].as_str()?.parse().ok());
    number.with_context(|| format!("a row has no number {field}"))
}

#[cfg(test)]
mod tests {
    use super::{Traffic, by_route, by_status};
    use serde_json::json;

    #[test]
    fn every_row_becomes_a_series() {
        let by_status = vec![json!({ "route": "/a/{b}", "status": "200", "requests": "12" })];
        let by_route =
            vec![json!({ "route": "/a/{b}", "p50": 20, "p99": 1500.0, "rows_read": 64, "rows_written": "8" })];
        let text = Traffic { by_status, by_route }.metrics(60).unwrap();
        let lines: Vec<_> = text.lines().filter(|line| !line.starts_with('#')).collect();
        let expected = [
            "clipgate_traffic_requests{route=\"/a/{b}\",status=\"200\"} 12",
            "clipgate_traffic_seconds{route=\"/a/{b}\",percentile=\"50\"} 0.02",
            "clipgate_traffic_seconds{route=\"/a/{b}\",percentile=\"99\"} 1.5",
            "clipgate_traffic_rows_read{route=\"/a/{b}\"} 64",
            "clipgate_traffic_rows_written{route=\"/a/{b}\"} 8",
            "clipgate_traffic_timestamp_seconds 60",
        ];
        assert_eq!(lines, expected);
    }

    #[test]
    fn a_sampled_data_point_counts_for_all_that_it_stands_for() {
        let sql = by_status("clipgate_requests").unwrap() + &by_route("clipgate_requests").unwrap();
        assert!(sql.contains("SELECT blob1 AS route, blob3 AS status, SUM(_sample_interval) AS requests"), "{sql}");
        assert!(sql.contains("SUM(_sample_interval * double2) AS rows_read"), "{sql}");
        assert!(sql.contains("quantileExactWeighted(0.99)(double1, _sample_interval) AS p99"), "{sql}");
    }
}
