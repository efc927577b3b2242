//! Bodies written by hand for tests, and the short way to read them.

#![allow(dead_code, reason = "each test binary uses its part of it")]

use crate::transcript::{Transcript, read_form};
use multipart::{Boundary, Caps, Error, PartHead};

pub(crate) fn boundary() -> Boundary {
    Boundary::from_content_type("multipart/form-data; boundary=xyz").expect("a legal boundary")
}

/// Reads a whole body whose boundary is `xyz`.
pub(crate) fn read(body: impl AsRef<[u8]>) -> Transcript<PartHead> {
    read_form(&boundary(), Caps::default(), [body.as_ref()])
}

/// The head of a form's only part, whose headers these are, each without its line end.
pub(crate) fn head(headers: &[&str]) -> Result<PartHead, Error> {
    head_of_block(format!("{}\r\n", headers.join("\r\n")).as_bytes())
}

/// The head of a form's only part, whose header lines are these bytes.
pub(crate) fn head_of_block(block: &[u8]) -> Result<PartHead, Error> {
    let body = [b"--xyz\r\n", block, b"\r\ncontent\r\n--xyz--\r\n"].concat();
    let mut form = read(body);
    form.outcome.map(|()| form.parts.remove(0).head)
}

/// The head of a part with this `Content-Disposition`.
pub(crate) fn disposition(value: &str) -> Result<PartHead, Error> {
    head(&[&format!("Content-Disposition: {value}")])
}
