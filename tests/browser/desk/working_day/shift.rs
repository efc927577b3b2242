//! A moderator who works at the desk by the keyboard: reads a caption, types the keys of the decision, and goes on.

use super::super::{Desk, WITHIN};
use super::plan::RightDecision;
use anyhow::{Context, Result};
use serde::Deserialize;
use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tests::browser::{Browser, BrowserStack, keys};
use tests::until;

/// The longest that a moderator waits for a case. A lost race for one shows when the list is read again, within ten
/// seconds.
const NEXT_WITHIN: Duration = Duration::from_mins(1);

/// Reads the page as a moderator does.
const LOOK: &str = "const open = document.querySelector('article.case');
    const isOpenRow = row => !row.classList.contains('is-over') && !/ is looking|You decided/.test(row.textContent);
    return {
        uuid: location.pathname.split('/desk/video/')[1] ?? null,
        caption: open?.querySelector('h1')?.textContent ?? null,
        keys: [...open?.querySelectorAll('section.decide [aria-keyshortcuts]') ?? []]
            .map(button => button.getAttribute('aria-keyshortcuts')),
        isOfAnother: / is looking at this video/.test(open?.textContent ?? ''),
        isOwnDecision: /You made this decision/.test(open?.textContent ?? ''),
        rows: [...document.querySelectorAll('.queue-row[data-uuid]')].filter(isOpenRow).map(row => row.dataset.uuid),
    };";

/// The parts of the page that lead to the next step.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Page {
    /// The video whose case is open.
    uuid: Option<String>,
    caption: Option<String>,
    /// The keys of the buttons below the case.
    keys: Vec<String>,
    is_of_another: bool,
    /// Whether the case is an appeal against a decision of this moderator.
    is_own_decision: bool,
    /// The videos in the list that seem to need this moderator.
    rows: Vec<String>,
}

/// The videos of the day that nobody has decided about yet.
pub(super) struct Undecided(Mutex<HashSet<String>>);

/// The work of a moderator so far.
#[derive(Debug, Default)]
pub(super) struct WorkDone {
    /// For each decision, the seconds from opening the case to its last key.
    pub(super) seconds: Vec<f64>,
    /// The keys of decisions.
    pub(super) keys: usize,
    /// The keys that only led to another case.
    pub(super) moves: usize,
}

/// A moderator at the desk.
pub(super) struct Shift<'a> {
    pub(super) desk: Desk<'a>,
    browser: &'a Browser,
    undecided: &'a Undecided,
    /// The cases that another moderator had, or that were decided already.
    passed: HashSet<String>,
    opened: Instant,
    pub(super) done: WorkDone,
}

enum Step {
    Decide(String, RightDecision),
    Pass(String),
    OpenNext,
    End,
}

impl Undecided {
    pub(super) fn new(uuids: impl Iterator<Item = String>) -> Self {
        Self(Mutex::new(uuids.collect()))
    }

    fn lock(&self) -> MutexGuard<'_, HashSet<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<'a> Shift<'a> {
    pub(super) async fn sign_in(
        stack: &BrowserStack,
        browser: &'a Browser,
        name: &str,
        undecided: &'a Undecided,
    ) -> Result<Self> {
        let desk = Desk::sign_in(stack, browser, name, &["look", "decide"]).await?;
        let (passed, opened, done) = (HashSet::new(), Instant::now(), WorkDone::default());
        Ok(Self { desk, browser, undecided, passed, opened, done })
    }

    /// Decides until no video is left. Begins at the first row of the list with `j`, or at its last row with `k`.
    pub(super) async fn work(&mut self, first: char) -> Result<()> {
        let mut opening = format!("{first}{}", keys::ENTER);
        loop {
            match self.next_step().await? {
                Step::Decide(uuid, decision) => self.decide(&uuid, decision).await?,
                Step::Pass(uuid) => {
                    self.passed.insert(uuid);
                    self.move_on("n").await?;
                }
                Step::OpenNext => {
                    self.move_on(&opening).await?;
                    "n".clone_into(&mut opening);
                }
                Step::End => return Ok(()),
            }
        }
    }

    /// Waits until it is certain what to do next.
    async fn next_step(&self) -> Result<Step> {
        let step = async || {
            if self.undecided.lock().is_empty() {
                return Ok(Some(Step::End));
            }
            let page: Page = serde_json::from_value(self.desk.run(LOOK).await?)?;
            match &page.uuid {
                Some(uuid) => self.step_in_case(uuid, &page),
                None => Ok((!page.rows.is_empty()).then_some(Step::OpenNext)),
            }
        };
        until(NEXT_WITHIN, step, || format!("nothing to do, but undecided: {:?}", self.undecided.lock())).await
    }

    fn step_in_case(&self, uuid: &str, page: &Page) -> Result<Option<Step>> {
        let is_read = page.is_of_another || !page.keys.is_empty();
        let Some(caption) = page.caption.as_deref().filter(|_| is_read) else { return Ok(None) };
        let decision = RightDecision::of_caption(caption);
        let decision = decision.with_context(|| format!("the queue leads to a video that needs nobody: {caption}"))?;
        let is_offered = |key: char| page.keys.iter().any(|offered| offered.chars().eq([key]));
        if is_offered(decision.key) && !page.is_own_decision {
            // The button that hands a case over shows that it is claimed.
            return Ok(is_offered('h').then(|| Step::Decide(uuid.to_owned(), decision)));
        }
        // The list may be some seconds old. Whoever comes back to a case waits until the list is read again.
        let is_list_old = self.passed.contains(uuid) && page.rows.iter().any(|row| row == uuid);
        Ok((!is_list_old).then(|| Step::Pass(uuid.to_owned())))
    }

    async fn decide(&mut self, uuid: &str, decision: RightDecision) -> Result<()> {
        self.browser.type_keys(&decision.key.to_string()).await?;
        if let Some((_, digit)) = decision.policy {
            let choice = "return !!document.querySelector('.policies li')";
            self.desk.until(WITHIN, "the policies", choice).await?;
            self.browser.type_keys(&digit.to_string()).await?;
        }
        self.done.seconds.push(self.opened.elapsed().as_secs_f64());
        self.done.keys += 1 + usize::from(decision.policy.is_some());
        self.opened = Instant::now();
        let is_elsewhere = format!("return !location.pathname.endsWith('/{uuid}')");
        self.desk.until(WITHIN, "the next case", &is_elsewhere).await?;
        self.undecided.lock().remove(uuid);
        Ok(())
    }

    async fn move_on(&mut self, keys: &str) -> Result<()> {
        self.opened = Instant::now();
        self.done.moves += keys.chars().count();
        self.browser.type_keys(keys).await
    }
}
