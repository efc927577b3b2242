//! The kinds of errors that D1 reports, recognised by their texts, because they have no codes.

/// Parts of the texts of errors that Cloudflare recommends retrying
/// (<https://developers.cloudflare.com/d1/observability/debug-d1/>). All of them are temporary.
const TEMPORARY: [&str; 6] = [
    "Network connection lost",
    "object to be reset",
    "reset because its code was updated",
    "Cannot resolve D1 DB due to transient issue",
    "Can't read from request stream because client disconnected",
    "storage operation exceeded timeout",
];

/// Parts of the texts of errors of an overloaded database. A retry would add to its load.
const OVERLOADED: [&str; 3] = ["D1 DB is overloaded", "exceeded its memory limit", "exceeded its CPU time limit"];

/// The text of the error with which a statement refuses an origin without a valid key (`platform::signer`).
pub(crate) const INVALID_SIGNER: &str = "the origin key is not valid";

/// The texts of the constraints that fail a batch if a row has changed since its change was decided: the statements of
/// `contents::life::door` set these columns to NULL. Any other constraint that fails is a mistake in a change, which
/// would fail again.
const LOST_RACES: [&str; 3] = [
    "NOT NULL constraint failed: contents.revision",
    "NOT NULL constraint failed: jobs.state",
    "NOT NULL constraint failed: daily_usage.content_changes",
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The database restarts or cannot be reached. A retry may succeed.
    Temporary,
    /// The database is overloaded. Only a later request may succeed.
    Overloaded,
    /// The signer of the request has no valid key.
    UnknownSigner,
    /// A row has changed since the change was decided.
    LostRace,
    /// Retrying gives the same error.
    Lasting,
}

impl Fault {
    pub(crate) fn of(text: &str) -> Self {
        let names = |parts: &[&str]| parts.iter().any(|part| text.contains(part));
        if names(&[INVALID_SIGNER]) {
            Self::UnknownSigner
        } else if names(&LOST_RACES) {
            Self::LostRace
        } else if names(&OVERLOADED) {
            Self::Overloaded
        } else if names(&TEMPORARY) {
            Self::Temporary
        } else {
            Self::Lasting
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_temporary_if_cloudflare_says_so() {
        for text in [
            "D1_ERROR: Network connection lost.",
            "D1_ERROR: D1 DB reset because its code was updated.",
            "D1_ERROR: Internal error while starting up D1 DB storage caused object to be reset.",
            "D1_ERROR: Internal error in D1 DB storage caused object to be reset.",
            "D1_ERROR: Cannot resolve D1 DB due to transient issue on remote node.",
            "D1_ERROR: Can't read from request stream because client disconnected.",
            "D1_ERROR: D1 DB storage operation exceeded timeout which caused object to be reset.",
        ] {
            assert_eq!(Fault::of(text), Fault::Temporary, "{text}");
        }
    }

    #[test]
    fn an_overloaded_database_is_told_apart_from_one_that_restarts() {
        for text in [
            "D1_ERROR: D1 DB is overloaded. Requests queued for too long.",
            "D1_ERROR: D1 DB is overloaded. Too many requests queued.",
            "D1_ERROR: D1 DB's isolate exceeded its memory limit and was reset.",
            "D1_ERROR: D1 DB exceeded its CPU time limit and was reset.",
        ] {
            assert_eq!(Fault::of(text), Fault::Overloaded, "{text}");
        }
    }

    #[test]
    fn only_the_guards_of_changes_show_a_lost_race() {
        for column in ["contents.revision", "jobs.state", "daily_usage.content_changes"] {
            let text = format!("D1_ERROR: NOT NULL constraint failed: {column}: SQLITE_CONSTRAINT");
            assert_eq!(Fault::of(&text), Fault::LostRace, "{text}");
        }
    }

    #[test]
    fn any_other_error_lasts() {
        for text in [
            "",
            "D1_ERROR: no such table: contents",
            "UNIQUE constraint failed: uploads.uuid: SQLITE_CONSTRAINT",
            "D1_ERROR: NOT NULL constraint failed: contents.slug_url: SQLITE_CONSTRAINT",
            "D1_ERROR: CHECK constraint failed: json_valid(metadata): SQLITE_CONSTRAINT",
            "D1_ERROR: FOREIGN KEY constraint failed: SQLITE_CONSTRAINT",
            "D1_ERROR: this transition between states is not allowed: SQLITE_CONSTRAINT",
        ] {
            assert_eq!(Fault::of(text), Fault::Lasting, "{text}");
        }
    }
}
