//! The rule about appeals: an owner can appeal once against each rejection or removal by a moderator, for a limited
//! time. `contents::status` shows the time, and `owner` refuses other appeals.

use crate::base::unix_seconds::UnixSeconds;
use contract::ContentState;
use contract::api::AUTOMATIC_POLICY;
use contract::limits::APPEAL_SECONDS;

/// The latest decision that removed a content.
pub(crate) const LATEST_REMOVAL: &str = "(SELECT max(id) FROM decisions
     WHERE decisions.content_id = contents.id AND action IN ('reject', 'take_down'))";

/// Whether the policy that the content broke may be appealed.
pub(crate) const MAY_BE_APPEALED: &str = "coalesce((SELECT may_be_appealed FROM policies
     WHERE policies.policy_code = contents.policy_code), 1) AS may_be_appealed";

/// The properties of a content on which an appeal depends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Appealable<'a> {
    pub state: ContentState,
    pub policy_code: Option<&'a str>,
    pub may_be_appealed: bool,
    /// Whether its files are stored, so that it can be restored.
    pub is_stored: bool,
    pub finished_at: Option<UnixSeconds>,
    /// Whether the owner has appealed against the latest decision.
    pub is_appealed: bool,
}

impl Appealable<'_> {
    /// Returns the time until which the owner can appeal, or `None` if an appeal is not possible.
    pub(crate) fn until(self, now: UnixSeconds) -> Option<UnixSeconds> {
        let is_removed = matches!(self.state, ContentState::Rejected | ContentState::TakenDown);
        let is_of_person = self.policy_code.is_some_and(|code| code != AUTOMATIC_POLICY);
        let is_possible = is_removed && is_of_person && self.may_be_appealed && self.is_stored && !self.is_appealed;
        self.finished_at.map(|time| time + APPEAL_SECONDS).filter(|until| is_possible && *until > now)
    }
}
