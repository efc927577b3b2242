//! The text format of Prometheus.

use serde::Deserialize;
use serde_json::Number;
use std::fmt::Write;

/// The prefix of every name. The metrics of an origin begin with `clipgate_` only.
const PREFIX: &str = "clipgate_edge_";

/// A page of metrics.
#[derive(Debug, Default)]
pub(crate) struct Exposition(String);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Gauge,
    Counter,
}

/// One value of a metric.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(crate) struct Sample {
    /// The labels as the format has them, such as `state="published"`. Empty if the metric has one value.
    pub labels: String,
    pub value: Number,
}

impl Sample {
    pub(crate) fn new(labels: String, value: u64) -> Self {
        Self { labels, value: value.into() }
    }

    /// Returns the value of a metric that has only one.
    pub(crate) fn alone(value: u64) -> Self {
        Self::new(String::new(), value)
    }
}

impl Exposition {
    /// Adds a metric with all its values.
    pub(crate) fn add(&mut self, name: &str, kind: Kind, help: &str, samples: &[Sample]) {
        let kind = match kind {
            Kind::Gauge => "gauge",
            Kind::Counter => "counter",
        };
        // Writing to a string never fails.
        let _ = writeln!(self.0, "# HELP {PREFIX}{name} {help}\n# TYPE {PREFIX}{name} {kind}");
        for Sample { labels, value } in samples {
            let labels = if labels.is_empty() { String::new() } else { format!("{{{labels}}}") };
            let _ = writeln!(self.0, "{PREFIX}{name}{labels} {value}");
        }
    }

    pub(crate) fn into_text(self) -> String {
        self.0
    }
}
