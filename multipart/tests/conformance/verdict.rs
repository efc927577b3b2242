//! What the crate says about one vector, at each of its layers.

use crate::splits::every_split;
use crate::transcript::{Transcript, read_form, read_scan};
use crate::vectors::Vector;
use multipart::{Boundary, BoundaryError, Caps, Error, PartHead};
use sha2::{Digest, Sha256};
use std::fmt;
use std::fmt::Write as _;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    Accept,
    Refuse(Error),
    RefuseContentType(BoundaryError),
}

impl fmt::Display for Verdict {
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

impl From<Result<(), Error>> for Verdict {
    fn from(outcome: Result<(), Error>) -> Self {
        outcome.map_or_else(Self::Refuse, |()| Self::Accept)
    }
}

/// A vector as the form layer and the boundary layer see it, the same under every split.
pub(crate) struct Judged {
    pub(crate) form: Verdict,
    pub(crate) parts: Vec<(String, usize, String)>,
    pub(crate) scan: Verdict,
    pub(crate) scanned_parts: usize,
}

pub(crate) fn judge(vector: &Vector) -> Judged {
    let boundary = match Boundary::from_content_type(&vector.content_type) {
        Ok(boundary) => boundary,
        Err(error) => {
            let verdict = Verdict::RefuseContentType(error);
            return Judged {
                form: verdict,
                parts: Vec::new(),
                scan: verdict,
                scanned_parts: 0,
            };
        }
    };
    let form = same_under_every_split(vector, |chunks| {
        read_form(&boundary, Caps::default(), chunks)
    });
    let scan = same_under_every_split(vector, |chunks| {
        read_scan(&boundary, Caps::default(), chunks)
    });
    Judged {
        form: form.outcome.into(),
        parts: describe(&form),
        scan: scan.outcome.into(),
        scanned_parts: scan.parts.len(),
    }
}

fn same_under_every_split<Head: PartialEq + fmt::Debug>(
    vector: &Vector,
    read: impl Fn(Vec<&[u8]>) -> Transcript<Head>,
) -> Transcript<Head> {
    let whole = read(vec![&vector.body]);
    for (split, chunks) in every_split(&vector.body) {
        assert_eq!(read(chunks), whole, "{} in {split}", vector.id);
    }
    whole
}

fn describe(form: &Transcript<PartHead>) -> Vec<(String, usize, String)> {
    let describe_part = |part: &crate::transcript::Part<PartHead>| {
        (
            part.head.name.clone(),
            part.content.len(),
            short_hash(&part.content),
        )
    };
    form.parts.iter().map(describe_part).collect()
}

/// The first 12 hexadecimal digits of the SHA-256, as the suite writes them.
fn short_hash(content: &[u8]) -> String {
    Sha256::digest(content)
        .iter()
        .take(6)
        .fold(String::new(), |mut text, byte| {
            write!(text, "{byte:02x}").expect("a string takes it");
            text
        })
}
