//! What is found about a video before it may be shown.

use crate::configuration::Classifier;
use crate::failure::JobError;
use crate::media::{Findings, Plan, Span};
use contract::moderation::{Check, Finding, FrameHash, Verdict};
use std::path::Path;

#[derive(Debug)]
pub struct Moderator {}

#[derive(Clone, Copy, Debug)]
pub struct Material<'a> {
    pub content_uuid: &'a str,
    pub caption: Option<&'a str>,
    pub frames: &'a Path,
    pub findings: &'a Findings,
    pub plan: &'a Plan,
}

#[derive(Debug)]
pub struct Moderated {
    pub findings: Vec<Finding>,
    pub frames: Vec<FrameHash>,
}

impl Moderator {
    pub fn new(_classifier: Option<Classifier>) -> anyhow::Result<Self> {
        Ok(Self {})
    }

    pub async fn moderate(&self, material: Material<'_>) -> Result<Moderated, JobError> {
        let Findings {
            black,
            frozen,
            silent,
            flashing,
            ..
        } = material.findings;
        let all = [
            (Check::Black, Verdict::Pass, black),
            (Check::Frozen, Verdict::Pass, frozen),
            (Check::Silent, Verdict::Pass, silent),
            (Check::Flashing, Verdict::Review, flashing),
        ];
        let findings = all.into_iter().flat_map(|(check, verdict, spans)| {
            spans.iter().map(move |span| finding(check, verdict, span))
        });
        Ok(Moderated {
            findings: findings.collect(),
            frames: Vec::new(),
        })
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a time within two minutes"
)]
fn finding(check: Check, verdict: Verdict, span: &Span) -> Finding {
    Finding {
        check,
        verdict,
        from_ms: Some((span.start * 1000.0) as u64),
        until_ms: Some((span.end * 1000.0) as u64),
        score: None,
        note: None,
    }
}
