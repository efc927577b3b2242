//! Receipts of viewers' reports. Whoever has the receipt of a report can read its outcome.
//!
//! A receipt contains the content, the time of the report, and a keyed hash of both. So nothing is stored about it, and
//! nothing about the viewer is in it. It stays valid for as long as the pepper.

use crate::base::unix_seconds::UnixSeconds;
use crate::people::auth::hash::{KeyedHash, Pepper, secrets_match};
use crate::platform::database::{Database, DatabaseError, Statement};
use contract::ContentState;
use contract::api::ReportOutcome;
use contract::limits::MAX_SAFE_INTEGER;
use serde::Deserialize;

/// The digits of the keyed hash in a receipt. 20 digits are 80 bits, too many to guess.
const DIGITS: usize = 20;

/// A report that a viewer has sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ReportReceipt {
    pub content_id: u64,
    pub reported_at: UnixSeconds,
}

impl ReportReceipt {
    /// Returns the receipt as text.
    pub(crate) fn text(self, pepper: &Pepper) -> String {
        self.text_with(shortened(self.hash(pepper).as_str()))
    }

    /// Returns `None` if the service did not make this receipt.
    pub(crate) fn parse(text: &str, pepper: &Pepper) -> Option<Self> {
        let mut parts = text.split('-');
        let mut number = || u64::from_str_radix(parts.next()?, 16).ok().filter(|number| *number <= MAX_SAFE_INTEGER);
        let receipt = Self { content_id: number()?, reported_at: UnixSeconds(number()?) };
        let (digits, end) = (parts.next()?, parts.next());
        let hash = receipt.hash(pepper);
        let is_valid = [Some(hash.as_str()), hash.second()]
            .into_iter()
            .flatten()
            .any(|hash| secrets_match(shortened(hash), digits));
        (is_valid && end.is_none() && receipt.text_with(digits) == text).then_some(receipt)
    }

    fn text_with(self, digits: &str) -> String {
        format!("{:x}-{:x}-{digits}", self.content_id, self.reported_at.0)
    }

    fn hash(self, pepper: &Pepper) -> KeyedHash {
        // Domain separation: nothing else that is hashed with the pepper has this form (see `review_address`).
        pepper.hash(format!("report {} {}", self.content_id, self.reported_at.0).as_bytes())
    }
}

fn shortened(hash: &str) -> &str {
    hash.get(..DIGITS).unwrap_or(hash)
}

/// Returns the outcome of a report. Later reports and matches do not change it.
pub(crate) async fn outcome(database: &impl Database, receipt: ReportReceipt) -> Result<ReportOutcome, DatabaseError> {
    #[derive(Deserialize)]
    struct Row {
        state: ContentState,
        is_waiting: u8,
        is_removed: u8,
    }
    // The state of a deleted content does not show that a moderator had removed it, but its decisions do. A restored
    // database may lack the decisions; then only the state shows it.
    let select = Statement::new(
        "SELECT state,
             EXISTS (SELECT 1 FROM flags WHERE content_id = contents.id AND flagged_at_unix <= ?2) AS is_waiting,
             coalesce((SELECT action IN ('reject', 'take_down') FROM decisions
                 WHERE content_id = contents.id AND action IN ('reject', 'take_down', 'restore')
                 ORDER BY id DESC LIMIT 1), 0) AS is_removed
         FROM contents WHERE id = ?1",
    );
    let select = select.bind(receipt.content_id).bind(receipt.reported_at);
    // The row of an erased account is deleted too.
    let Some(row) = database.first::<Row>(select).await? else { return Ok(ReportOutcome::Deleted) };
    let is_removed = row.is_removed != 0 || matches!(row.state, ContentState::Rejected | ContentState::TakenDown);
    Ok(match row.state {
        _ if row.is_waiting != 0 => ReportOutcome::Waiting,
        _ if is_removed => ReportOutcome::Removed,
        ContentState::Deleted => ReportOutcome::Deleted,
        _ => ReportOutcome::Kept,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn pepper(letter: &str) -> Pepper {
        Pepper::new(&letter.repeat(32)).unwrap()
    }

    const RECEIPT: ReportReceipt = ReportReceipt { content_id: 7, reported_at: UnixSeconds(1_795_207_125) };

    #[test]
    fn a_receipt_is_valid_only_as_it_was_made() {
        let text = RECEIPT.text(&pepper("a"));
        assert_eq!(ReportReceipt::parse(&text, &pepper("a")), Some(RECEIPT));
        assert_eq!(ReportReceipt::parse(&text, &pepper("b")), None);
        let both = pepper("b").with_second(&"a".repeat(32)).unwrap();
        assert_eq!(ReportReceipt::parse(&text, &both), Some(RECEIPT));
        let digits = text.rsplit('-').next().unwrap();
        let forged = [
            text.replacen('7', "8", 1),
            text.replacen('7', "07", 1),
            text.replacen('7', "+7", 1),
            text.to_uppercase(),
            format!("{text}-"),
            format!("7-6b00f296-{digits}"),
            text.trim_end_matches(digits).to_owned(),
            text.chars().take(text.len() - 1).collect(),
            String::new(),
        ];
        for forged in forged {
            assert_eq!(ReportReceipt::parse(&forged, &pepper("a")), None, "{forged}");
        }
    }

    proptest! {
        #[test]
        fn each_receipt_survives_a_round_trip(
            content_id in 0..=MAX_SAFE_INTEGER, reported_at in 0..=MAX_SAFE_INTEGER,
        ) {
            let receipt = ReportReceipt { content_id, reported_at: UnixSeconds(reported_at) };
            let pepper = pepper("a");
            prop_assert_eq!(ReportReceipt::parse(&receipt.text(&pepper), &pepper), Some(receipt));
        }

        #[test]
        fn no_text_is_a_receipt_by_chance(text in "[0-9a-f]{1,14}-[0-9a-f]{1,14}-[0-9a-f]{20}") {
            prop_assert_eq!(ReportReceipt::parse(&text, &pepper("a")), None);
        }
    }
}
