//! What the boundary layer has to say about the suite's MIME-level vectors.

use crate::verdict::Verdict;
use multipart::Error;

/// The vector, the verdict, and how many parts were begun.
pub(crate) const EXPECTED: &[(&str, Verdict, usize)] = &[
    (
        "go__1mib-of-cr-lf-nul-noise-in-a-part-crlf",
        Verdict::Accept,
        4,
    ),
    ("go__single-empty-part-crlf-boundary", Verdict::Accept, 1),
    ("go__no-parts", Verdict::Accept, 0),
    ("go__leading-line", Verdict::Accept, 1),
    (
        "go__single-empty-part-boundary",
        Verdict::Refuse(Error::BoundaryAfterHeaders),
        1,
    ),
    (
        "go__final-part-empty",
        Verdict::Refuse(Error::BoundaryAfterHeaders),
        1,
    ),
    (
        "go__final-part-empty-then-crlf",
        Verdict::Refuse(Error::BoundaryAfterHeaders),
        1,
    ),
    (
        "go__final-part-empty-then-lwsp",
        Verdict::Refuse(Error::BoundaryAfterHeaders),
        1,
    ),
    (
        "go__fake-separator-as-data",
        Verdict::Refuse(Error::BoundaryAfterHeaders),
        1,
    ),
    (
        "go__nested-separator-prefix-is-outer-separator",
        Verdict::Refuse(Error::BoundaryAfterHeaders),
        1,
    ),
    (
        "go__boundary-with-whitespace",
        Verdict::Refuse(Error::BoundaryRunsOn),
        0,
    ),
    (
        "go__issue-10616-minimal",
        Verdict::Refuse(Error::BoundaryRunsOn),
        0,
    ),
    (
        "go__1mib-noise-lf-only-line-ends",
        Verdict::Refuse(Error::PreambleTooLong),
        0,
    ),
    ("go__truncated", Verdict::Refuse(Error::Truncated), 1),
];
