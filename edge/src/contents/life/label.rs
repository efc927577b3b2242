//! A label of a content, and who set it.

use contract::ErrorCode;
use serde::{Deserialize, Serialize};

/// Stored as a number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(from = "u8", into = "u8")]
pub(crate) enum LabelState {
    #[default]
    Unset,
    ByOwner,
    ByModerator,
}

impl LabelState {
    pub(crate) fn is_set(self) -> bool {
        self != Self::Unset
    }

    pub(crate) fn by_owner(is_set: bool) -> Self {
        if is_set { Self::ByOwner } else { Self::Unset }
    }

    pub(crate) fn by_moderator(is_set: bool) -> Self {
        if is_set { Self::ByModerator } else { Self::Unset }
    }

    /// Returns the label after its owner wants it or not. Only a moderator can remove a moderator's label.
    pub(crate) fn changed_by_owner(self, is_wanted: bool) -> Result<Self, ErrorCode> {
        match (self, is_wanted) {
            (Self::ByModerator, true) => Ok(self),
            (Self::ByModerator, false) => Err(ErrorCode::ContentLabelLocked),
            (Self::Unset | Self::ByOwner, _) => Ok(Self::by_owner(is_wanted)),
        }
    }
}

impl From<u8> for LabelState {
    fn from(number: u8) -> Self {
        match number {
            0 => Self::Unset,
            1 => Self::ByOwner,
            _ => Self::ByModerator,
        }
    }
}

impl From<LabelState> for u8 {
    fn from(state: LabelState) -> Self {
        match state {
            LabelState::Unset => 0,
            LabelState::ByOwner => 1,
            LabelState::ByModerator => 2,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_is_read_as_it_is_written() {
        for state in [LabelState::Unset, LabelState::ByOwner, LabelState::ByModerator] {
            assert_eq!(LabelState::from(u8::from(state)), state);
        }
    }

    #[test]
    fn an_owner_cannot_remove_the_label_of_a_moderator() {
        use LabelState::{ByModerator, ByOwner, Unset};
        for (before, is_wanted, after) in [
            (Unset, true, Ok(ByOwner)),
            (Unset, false, Ok(Unset)),
            (ByOwner, true, Ok(ByOwner)),
            (ByOwner, false, Ok(Unset)),
            (ByModerator, true, Ok(ByModerator)),
            (ByModerator, false, Err(ErrorCode::ContentLabelLocked)),
        ] {
            assert_eq!(before.changed_by_owner(is_wanted), after, "{before:?} {is_wanted}");
        }
    }
}
