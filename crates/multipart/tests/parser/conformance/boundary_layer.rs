//! The expected results of the boundary layer for the suite's MIME-level vectors.

use super::outcome::ParseOutcome;
use multipart::FormError;

/// The vector, the outcome, and how many parts were begun.
pub(crate) const EXPECTED: &[(&str, ParseOutcome, usize)] = &[
    ("go__1mib-of-cr-lf-nul-noise-in-a-part-crlf", ParseOutcome::Accept, 4),
    ("go__single-empty-part-crlf-boundary", ParseOutcome::Accept, 1),
    ("go__no-parts", ParseOutcome::Accept, 0),
    ("go__leading-line", ParseOutcome::Accept, 1),
    ("go__single-empty-part-boundary", ParseOutcome::Refuse(FormError::BoundaryAfterHeaders), 1),
    ("go__final-part-empty", ParseOutcome::Refuse(FormError::BoundaryAfterHeaders), 1),
    ("go__final-part-empty-then-crlf", ParseOutcome::Refuse(FormError::BoundaryAfterHeaders), 1),
    ("go__final-part-empty-then-lwsp", ParseOutcome::Refuse(FormError::BoundaryAfterHeaders), 1),
    ("go__fake-separator-as-data", ParseOutcome::Refuse(FormError::BoundaryAfterHeaders), 1),
    ("go__nested-separator-prefix-is-outer-separator", ParseOutcome::Refuse(FormError::BoundaryAfterHeaders), 1),
    ("go__boundary-with-whitespace", ParseOutcome::Refuse(FormError::BoundaryRunsOn), 0),
    ("go__issue-10616-minimal", ParseOutcome::Refuse(FormError::BoundaryRunsOn), 0),
    ("go__1mib-noise-lf-only-line-ends", ParseOutcome::Refuse(FormError::PreambleTooLong), 0),
    ("go__truncated", ParseOutcome::Refuse(FormError::Truncated), 1),
];
