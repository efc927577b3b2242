//! Bodies written by hand for tests, and short functions to read them.

#![allow(dead_code, reason = "each test binary uses only some of it")]

use crate::transcript::{Transcript, read_form};
use multipart::{Boundary, Caps, FormError, PartHead};

pub(crate) fn boundary() -> Boundary {
    Boundary::from_content_type("multipart/form-data; boundary=xyz").expect("a valid boundary")
}

/// Reads a whole body with the boundary `xyz`.
pub(crate) fn read(body: impl AsRef<[u8]>) -> Transcript<PartHead> {
    read_form(&boundary(), Caps::default(), [body.as_ref()])
}

/// Returns the head of a form's only part with these headers, each without its line end.
pub(crate) fn head(headers: &[&str]) -> Result<PartHead, FormError> {
    head_of_block(format!("{}\r\n", headers.join("\r\n")).as_bytes())
}

/// Returns the head of a form's only part with this header block.
pub(crate) fn head_of_block(block: &[u8]) -> Result<PartHead, FormError> {
    let body = [b"--xyz\r\n", block, b"\r\ncontent\r\n--xyz--\r\n"].concat();
    let mut form = read(body);
    form.outcome.map(|()| form.parts.remove(0).head)
}

/// Returns the head of a part with this `Content-Disposition`.
pub(crate) fn disposition(value: &str) -> Result<PartHead, FormError> {
    head(&[&format!("Content-Disposition: {value}")])
}
