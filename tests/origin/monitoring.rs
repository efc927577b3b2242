//! Alerts and dashboard ask only for metrics that the running system has, and Prometheus accepts all of them.

use crate::watch_files::WatchFiles;
use anyhow::{Context, Result, ensure};
use contract::paths;
use reqwest::Method;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;
use tests::{Clip, OriginFleet, TestStack, e2e, project, send, until};

const FOLDER: &str = "ops/monitoring";

fn read(file: &str) -> Result<String> {
    let path = project().join(FOLDER).join(file);
    std::fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))
}

/// Returns every query of the dashboard.
fn dashboard_queries() -> Result<Vec<String>> {
    let dashboard: Value = serde_json::from_str(&read("dashboard.json")?)?;
    let panels = dashboard["panels"].as_array().context("the dashboard has no panels")?;
    let targets = panels.iter().filter_map(|panel| panel["targets"].as_array()).flatten();
    let queries = targets.map(|target| target["expr"].as_str().map(str::to_owned).context("a target without a query"));
    queries.collect()
}

/// Returns the names of Clipgate's metrics in a text.
fn names(text: &str) -> BTreeSet<&str> {
    let words = text.split(|character: char| !character.is_ascii_alphanumeric() && character != '_');
    words.filter(|word| word.starts_with("clipgate_")).collect()
}

/// Returns the name of the histogram that a series belongs to, or the name of the metric.
fn family(name: &str) -> &str {
    ["_bucket", "_sum", "_count"].iter().find_map(|end| name.strip_suffix(*end)).unwrap_or(name)
}

/// Runs one job and returns the metrics of the Worker and of the origin.
async fn exported(stack: &Arc<TestStack>, fleet: &mut OriginFleet) -> Result<String> {
    fleet.start("monitored", &[]).await?;
    let upload = fleet.upload(&Clip::mp4("a.mp4").make(&fleet.folder)?).await?;
    fleet.until_published(&upload, Duration::from_mins(1)).await?;
    stack.sweep().await?;
    let origin = fleet.origins.first().context("no origin")?.address.clone();
    let look = async || {
        let text = text(stack.client.get(format!("http://{origin}/metrics"))).await?;
        Ok(text.contains("clipgate_encode_speed_bucket").then_some(text))
    };
    let of_origin = until(Duration::from_secs(30), look, || "the job is not in the metrics".to_owned()).await?;
    let request = stack.request(Method::GET, paths::METRICS).bearer_auth(stack.env().get("WATCH_TOKEN"));
    Ok(text(request).await? + &of_origin)
}

async fn text(request: reqwest::RequestBuilder) -> Result<String> {
    let answer = send(request).await?;
    ensure!(answer.status == 200, "{answer:?}");
    Ok(String::from_utf8(answer.bytes)?)
}

#[e2e(Own)]
async fn every_alert_and_every_panel_has_data(stack: Arc<TestStack>) -> Result<()> {
    let mut fleet = OriginFleet::new(&stack).await?;
    let exported = exported(&stack, &mut fleet).await?;
    let watch = WatchFiles::write(&stack, &fleet.folder).await?;
    let exported = exported + &watch.metrics;
    let (alerts, dashboard) = (read("alerts.yml")?, read("dashboard.json")?);
    let exist = names(&exported);
    for (file, text) in [("alerts.yml", &alerts), ("dashboard.json", &dashboard)] {
        let unknown: Vec<_> = names(text).difference(&exist).copied().collect();
        ensure!(unknown.is_empty(), "{file} names metrics that nothing exports: {unknown:?}");
    }
    let shown = names(&dashboard);
    let is_shown =
        |name: &str| shown.iter().any(|other| *other == name || other.starts_with(&format!("{}_", family(name))));
    let hidden: Vec<_> = exist.iter().filter(|name| !is_shown(name)).collect();
    ensure!(hidden.is_empty(), "the dashboard does not show {hidden:?}");
    if !is_installed() {
        println!("the rest is skipped, because Prometheus is not installed (ops/dev/setup tests)");
        return Ok(());
    }
    let page = fleet.folder.join("metrics.txt");
    std::fs::write(&page, &exported)?;
    promtool(&["check", "metrics"], std::fs::File::open(&page)?.into())?;
    promtool(&["test", "rules", "alerts_test.yml"], Stdio::null())?;
    let prometheus = Prometheus::start(&stack, &fleet, &watch)?;
    for query in dashboard_queries()? {
        let look = async || Ok(prometheus.has_data(&stack, &query).await?.then_some(()));
        until(Duration::from_secs(90), look, || format!("no data for {query}\n{}", prometheus.log())).await?;
    }
    let look = async || prometheus.evaluated_alerts(&stack).await;
    let evaluated = until(Duration::from_mins(1), look, || prometheus.log()).await?;
    ensure!(evaluated == alerts.matches("- alert:").count(), "{evaluated} alerts");
    Ok(())
}

fn is_installed() -> bool {
    let found = |program| Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success());
    found("promtool") && found("prometheus")
}

/// Runs promtool in the folder of the alerts, with this input.
fn promtool(arguments: &[&str], input: Stdio) -> Result<()> {
    let mut command = Command::new("promtool");
    command.args(arguments).current_dir(project().join(FOLDER)).stdin(input);
    let output = command.output()?;
    let printed = [output.stdout, output.stderr].concat();
    ensure!(output.status.success(), "promtool {arguments:?}: {}", String::from_utf8_lossy(&printed));
    Ok(())
}

/// A Prometheus with the committed configuration, which watches a stack and its origin. Dropping it ends it.
struct Prometheus {
    process: Child,
    address: String,
    log: PathBuf,
}

impl Prometheus {
    fn start(stack: &TestStack, fleet: &OriginFleet, watch: &WatchFiles) -> Result<Self> {
        let folder = fleet.folder.join("prometheus");
        std::fs::create_dir_all(&folder)?;
        std::fs::write(folder.join("token"), stack.env().get("WATCH_TOKEN"))?;
        std::fs::copy(project().join(FOLDER).join("alerts.yml"), folder.join("alerts.yml"))?;
        let origin = &fleet.origins.first().context("no origin")?.address;
        std::fs::write(
            folder.join("prometheus.yml"),
            configuration([stack.address(), origin, &watch.address], &folder)?,
        )?;
        let (address, log) = (format!("127.0.0.1:{}", dev::free_port()?), folder.join("log"));
        let output = std::fs::File::create(&log)?;
        let process = Command::new("prometheus")
            .args(["--config.file=prometheus.yml", "--storage.tsdb.path=data"])
            .arg(format!("--web.listen-address={address}"))
            .current_dir(&folder)
            .stdout(Stdio::null())
            .stderr(output)
            .spawn()?;
        Ok(Self { process, address, log })
    }

    fn log(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap_or_default()
    }

    /// Returns the `data` of an answer, or `None` while Prometheus starts.
    async fn get(&self, stack: &TestStack, path: &str) -> Result<Option<Value>> {
        let Ok(answer) = send(stack.client.get(format!("http://{}/api/v1/{path}", self.address))).await else {
            return Ok(None);
        };
        if answer.status == 503 {
            return Ok(None);
        }
        ensure!(answer.status == 200, "{path}: {answer:?}");
        Ok(Some(answer.json()?["data"].clone()))
    }

    async fn has_data(&self, stack: &TestStack, query: &str) -> Result<bool> {
        let encoded = query.bytes().fold(String::new(), |text, byte| text + &format!("%{byte:02x}"));
        let data = self.get(stack, &format!("query?query={encoded}")).await?;
        Ok(data.is_some_and(|data| data["result"].as_array().is_some_and(|series| !series.is_empty())))
    }

    /// Returns the number of alerts once all of them have been evaluated. Fails if any cannot be evaluated.
    async fn evaluated_alerts(&self, stack: &TestStack) -> Result<Option<usize>> {
        let Some(data) = self.get(stack, "rules").await? else { return Ok(None) };
        let groups = data["groups"].as_array().context("no groups")?;
        let rules: Vec<&Value> = groups.iter().filter_map(|group| group["rules"].as_array()).flatten().collect();
        for rule in &rules {
            ensure!(rule["health"] != "err", "{rule:#}");
        }
        let all = rules.iter().all(|rule| rule["health"] == "ok");
        Ok((all && !rules.is_empty()).then_some(rules.len()))
    }
}

impl Drop for Prometheus {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Returns the committed configuration with the addresses of the stack, and without its pauses.
fn configuration([edge, origin, watch]: [&str; 3], folder: &Path) -> Result<String> {
    let mut text = read("prometheus.yml")?;
    for (committed, here) in [
        ("_interval: 30s", "_interval: 1s".to_owned()),
        ("scrape_timeout: 15s", "scrape_timeout: 1s".to_owned()),
        ("scheme: https", "scheme: http".to_owned()),
        ("/etc/prometheus/clipgate-watch-token", folder.join("token").display().to_string()),
        ("www.clipgate.example", edge.to_owned()),
        ("origin-1.internal:9600, origin-2.internal:9600", origin.to_owned()),
        ("monitoring.internal:9100", watch.to_owned()),
    ] {
        ensure!(text.contains(committed), "prometheus.yml has no {committed}");
        text = text.replace(committed, &here);
    }
    Ok(text)
}
