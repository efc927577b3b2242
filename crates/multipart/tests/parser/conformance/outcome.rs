//! Runs one vector through both layers.

use crate::splits::every_split;
use crate::transcript::{Transcript, read_form, read_scan};
use crate::vectors::FormVector;
use multipart::{Boundary, BoundaryError, Caps, FormError, PartHead};
use sha2::{Digest, Sha256};
use std::fmt;
use std::fmt::Write as _;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ParseOutcome {
    Accept,
    Refuse(FormError),
    RefuseContentType(BoundaryError),
}

impl fmt::Display for ParseOutcome {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Accept => formatter.write_str("accepted"),
            Self::Refuse(error) => write!(formatter, "refused: `{error:?}`"),
            Self::RefuseContentType(error) => {
                write!(formatter, "refused: `BoundaryError::{error:?}`")
            }
        }
    }
}

impl From<Result<(), FormError>> for ParseOutcome {
    fn from(outcome: Result<(), FormError>) -> Self {
        outcome.map_or_else(Self::Refuse, |()| Self::Accept)
    }
}

/// The results of one vector in the form layer and the boundary layer, the same for every split.
pub(crate) struct VectorResult {
    pub(crate) form: ParseOutcome,
    pub(crate) parts: Vec<(String, usize, String)>,
    pub(crate) scan: ParseOutcome,
    pub(crate) parts_begun: usize,
}

pub(crate) fn run_vector(vector: &FormVector) -> VectorResult {
    let boundary = match Boundary::from_content_type(&vector.content_type) {
        Ok(boundary) => boundary,
        Err(error) => {
            let outcome = ParseOutcome::RefuseContentType(error);
            return VectorResult { form: outcome, parts: Vec::new(), scan: outcome, parts_begun: 0 };
        }
    };
    let form = same_under_every_split(vector, |chunks| read_form(&boundary, Caps::default(), chunks));
    let scan = same_under_every_split(vector, |chunks| read_scan(&boundary, Caps::default(), chunks));
    VectorResult {
        form: form.outcome.into(),
        parts: describe(&form),
        scan: scan.outcome.into(),
        parts_begun: scan.parts.len(),
    }
}

fn same_under_every_split<Head: PartialEq + fmt::Debug>(
    vector: &FormVector,
    read: impl Fn(Vec<&[u8]>) -> Transcript<Head>,
) -> Transcript<Head> {
    let whole = read(vec![&vector.body]);
    for (split, chunks) in every_split(&vector.body) {
        assert_eq!(read(chunks), whole, "{} in {split}", vector.id);
    }
    whole
}

fn describe(form: &Transcript<PartHead>) -> Vec<(String, usize, String)> {
    let describe_part = |part: &crate::transcript::TranscriptPart<PartHead>| {
        (part.head.name.clone(), part.content.len(), short_hash(&part.content))
    };
    form.parts.iter().map(describe_part).collect()
}

/// Returns the first 12 hexadecimal digits of the SHA-256, as used in the suite.
fn short_hash(content: &[u8]) -> String {
    Sha256::digest(content).iter().take(6).fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").expect("writing to a string succeeds");
        text
    })
}
