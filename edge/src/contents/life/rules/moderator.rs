//! The decisions of moderators: approve a video, reject it, take it down, or reverse its removal.
//!
//! Removed content stays removed: the decision also blocks its frames and its file. Reversing the decision withdraws
//! these blocks. A flagged content that its owner deleted before the decision can still be rejected or taken down.

use crate::base::ids::ContentUuid;
use crate::base::unix_seconds::UnixSeconds;
use crate::contents::life::change::{AppealEffect, Blocks, Decision, Effects, EvidenceEffect, TrailLine};
use crate::contents::life::content::Content;
use crate::contents::life::label::LabelState;
use crate::contents::life::life::Life;
use contract::api::{AppealState, DecisionAction};
use contract::limits::REVERSIBLE_SECONDS;
use contract::moderation::FrameHash;
use contract::{ContentState, ErrorCode, Label};

/// A decision, who made it, and why.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DecisionRequest<'a> {
    pub kind: DecisionKind,
    pub content_uuid: &'a ContentUuid,
    pub reason: &'a str,
    pub by: &'a str,
    /// The rule that a rejected or removed content breaks.
    pub policy: Option<BrokenPolicy<'a>>,
    /// The stored hashes of the content's frames. Empty for an approval or a restoration, or if they were not kept.
    pub kept_frames: &'a [FrameHash],
}

/// A rule of the site, and what it says to the owner of a content that breaks it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BrokenPolicy<'a> {
    pub code: &'a str,
    pub text: &'a str,
}

/// The labels that a moderator wants a content to have, who wants them, and why.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LabelRequest<'a> {
    pub content_uuid: &'a ContentUuid,
    /// A label that is `None` stays as it is.
    pub is_sensitive: Option<bool>,
    pub is_ai_generated: Option<bool>,
    pub reason: &'a str,
    pub by: &'a str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DecisionKind {
    Approve,
    /// Blocks the content's frames and its file too.
    Reject,
    /// Removes an approved content, and blocks its frames and its file.
    TakeDown,
    /// Reverses a rejection or a removal by a moderator. If its owner has appealed, the appeal is granted.
    Restore,
    /// Rejects the owner's appeal. The content stays as it is.
    RejectAppeal,
}

pub(in crate::contents::life) fn decide(
    life: &mut Life,
    request: &DecisionRequest<'_>,
    effects: &mut Effects,
    now: UnixSeconds,
) -> Result<(), ErrorCode> {
    let is_possible = match request.kind {
        DecisionKind::Approve => can_be_judged(&life.content),
        DecisionKind::Reject => can_be_judged(&life.content) || life.is_undecided(),
        DecisionKind::TakeDown => life.content.is_approved() || life.is_undecided(),
        DecisionKind::Restore => can_be_restored(&life.content, now),
        DecisionKind::RejectAppeal => life.facts.appeal == Some(AppealState::Pending),
    };
    if !is_possible {
        let is_repeated =
            life.facts.last_action == Some(request.kind.action()) && request.kind.leads_to(life.content.state);
        return if is_repeated { Ok(()) } else { Err(ErrorCode::ContentStateConflict) };
    }
    record(life, request, effects);
    if life.facts.appeal == Some(AppealState::Pending) {
        effects.appeal = request.kind.appeal().map(AppealEffect::Decided);
    }
    if request.kind == DecisionKind::RejectAppeal {
        return Ok(());
    }
    if life.is_undecided() {
        effects.evidence = Some(EvidenceEffect::TakenDown);
        effects.drops_flag = true;
        return Ok(());
    }
    let (content, policy) = (&mut life.content, request.policy);
    match request.kind {
        DecisionKind::Approve => approve(content, now),
        DecisionKind::Reject => {
            remove(content, ContentState::Rejected, policy, ErrorCode::ContentModerationRejected.text());
        }
        DecisionKind::TakeDown => {
            remove(content, ContentState::TakenDown, policy, "A moderator took the video down.");
        }
        DecisionKind::Restore => restore(content, now),
        DecisionKind::RejectAppeal => {}
    }
    content.finished_at_unix = Some(now);
    Ok(())
}

/// Sets or removes labels in any state but `deleted`. A content that waits for a decision still waits for it.
pub(in crate::contents::life) fn label(
    life: &mut Life,
    request: &LabelRequest<'_>,
    effects: &mut Effects,
) -> Result<(), ErrorCode> {
    if life.content.state == ContentState::Deleted {
        return Err(ErrorCode::ContentStateConflict);
    }
    let was = life.content.presentation();
    let content = &mut life.content;
    content.is_sensitive = request.is_sensitive.map_or(content.is_sensitive, LabelState::by_moderator);
    content.is_ai_generated = request.is_ai_generated.map_or(content.is_ai_generated, LabelState::by_moderator);
    if content.presentation() == was {
        return Ok(());
    }
    let wanted = [(Label::Sensitive, request.is_sensitive), (Label::AiGenerated, request.is_ai_generated)];
    let changes: Vec<String> =
        wanted.iter().filter_map(|(label, is_set)| Some(format!("{}: {}", label.as_str(), (*is_set)?))).collect();
    let detail = format!("{}. {}", changes.join(", "), request.reason);
    let action = DecisionAction::Label;
    effects.trail.push(TrailLine {
        actor: request.by.to_owned(),
        action: action.as_str(),
        detail: Some(detail.clone()),
    });
    effects.decision = Some(Decision {
        action,
        by: request.by.to_owned(),
        reason: detail,
        policy_code: None,
        blocks: Blocks::Nothing,
    });
    Ok(())
}

/// Whether it waits for a moderator, or for a check that was not possible. A moderator may decide in both cases.
fn can_be_judged(content: &Content) -> bool {
    content.is_waiting() && content.media.is_some()
}

/// Whether a moderator removed the content, and its files are not deleted yet.
fn can_be_restored(content: &Content, now: UnixSeconds) -> bool {
    let is_recent = content.finished_at_unix.is_some_and(|time| time + REVERSIBLE_SECONDS > now);
    let is_stored = content.media.is_some() && content.media_generation.is_some();
    matches!(content.state, ContentState::Rejected | ContentState::TakenDown) && is_stored && is_recent
}

fn record(life: &Life, request: &DecisionRequest<'_>, effects: &mut Effects) {
    let action = request.kind.action();
    let (by, reason) = (request.by.to_owned(), request.reason.to_owned());
    effects.trail.push(TrailLine { actor: by.clone(), action: action.as_str(), detail: Some(reason.clone()) });
    let blocks = match action {
        DecisionAction::Reject | DecisionAction::TakeDown => {
            let reported_frames = life.content.is_waiting();
            let kept_frames = if reported_frames { Vec::new() } else { request.kept_frames.to_vec() };
            Blocks::Added { kept_frames, reported_frames }
        }
        DecisionAction::Restore => Blocks::Withdrawn,
        _ => Blocks::Nothing,
    };
    let policy_code = request.policy.map(|policy| policy.code.to_owned());
    effects.decision = Some(Decision { action, by, reason, policy_code, blocks });
}

/// Publishes the content at once, or schedules it until its time has come and its owner has released it.
pub(in crate::contents::life) fn approve(content: &mut Content, now: UnixSeconds) {
    let is_later = content.is_for_later(now);
    content.state = if is_later { ContentState::Scheduled } else { ContentState::Published };
    content.published_at_unix = (!is_later).then_some(now);
    content.finished_at_unix = Some(now);
    (content.waits_for, content.waits_since_unix) = (None, None);
}

/// Removes the content. Its owner reads the text of the rule that it breaks.
fn remove(content: &mut Content, state: ContentState, policy: Option<BrokenPolicy<'_>>, detail: &str) {
    content.state = state;
    content.policy_code = policy.map(|policy| policy.code.to_owned());
    let detail = policy.map_or(detail, |policy| policy.text);
    content.error_code = Some(ErrorCode::ContentModerationRejected.as_str().to_owned());
    content.error_detail = Some(detail.to_owned());
    (content.waits_for, content.waits_since_unix) = (None, None);
}

/// A content that was public keeps the time of its first publication.
fn restore(content: &mut Content, now: UnixSeconds) {
    let first_published = content.published_at_unix;
    approve(content, now);
    content.published_at_unix = content.published_at_unix.map(|time| first_published.unwrap_or(time));
    (content.error_code, content.error_detail, content.policy_code) = (None, None, None);
}

impl DecisionKind {
    pub(crate) const fn action(self) -> DecisionAction {
        match self {
            Self::Approve => DecisionAction::Approve,
            Self::Reject => DecisionAction::Reject,
            Self::TakeDown => DecisionAction::TakeDown,
            Self::Restore => DecisionAction::Restore,
            Self::RejectAppeal => DecisionAction::RejectAppeal,
        }
    }

    /// Returns what becomes of a pending appeal.
    const fn appeal(self) -> Option<AppealState> {
        match self {
            Self::Restore => Some(AppealState::Granted),
            Self::RejectAppeal => Some(AppealState::Rejected),
            Self::Approve | Self::Reject | Self::TakeDown => None,
        }
    }

    /// Whether a content may be in this state after the decision. Its owner may have deleted it before or since.
    pub(crate) const fn leads_to(self, state: ContentState) -> bool {
        match self {
            Self::Approve | Self::Restore => matches!(state, ContentState::Scheduled | ContentState::Published),
            Self::Reject => matches!(state, ContentState::Rejected | ContentState::Deleted),
            Self::TakeDown => matches!(state, ContentState::TakenDown | ContentState::Deleted),
            Self::RejectAppeal => {
                matches!(state, ContentState::Rejected | ContentState::TakenDown | ContentState::Deleted)
            }
        }
    }
}
