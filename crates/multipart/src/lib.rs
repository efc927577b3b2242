//! A push parser for `multipart/form-data` with bounded memory.
//!
//! It takes a request body in chunks of any size and returns events that borrow their bytes from these chunks. Between
//! two chunks it keeps one header block and a number. It refuses every body that two parsers might interpret
//! differently; `docs/multipart-conformance.md` lists these decisions. This crate must not depend on what the fields
//! mean, where the bytes come from or where they go: no IO, no clock, no runtime.
//!
//! ```
//! use multipart::{Boundary, Caps, FormEvent, Parser};
//!
//! let boundary = Boundary::from_content_type("multipart/form-data; boundary=x")?;
//! let mut parser = Parser::new(&boundary, Caps::default());
//! let body = b"--x\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n--x--\r\n";
//! let mut value = Vec::new();
//! for mut chunk in body.chunks(7) {
//!     while let Some(event) = parser.next_event(&mut chunk)? {
//!         match event {
//!             FormEvent::PartBegin(head) => assert_eq!(head.name, "a"),
//!             FormEvent::Data(bytes) => value.extend_from_slice(bytes),
//!             FormEvent::PartEnd | FormEvent::End => {}
//!         }
//!     }
//! }
//! parser.finish()?;
//! assert_eq!(value, b"1");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod boundary;
mod caps;
mod delimiter;
mod disposition;
mod error;
mod extended_value;
mod field_text;
mod grammar;
mod parser;
mod part_head;
pub mod scanner;

pub use boundary::{Boundary, BoundaryError};
pub use caps::{Caps, MAX_FIELD_TEXT_BYTES, MAX_PARAMETERS};
pub use error::FormError;
pub use field_text::{FieldText, FieldTextError};
pub use parser::{FormEvent, Parser};
pub use part_head::{PartHead, TransferEncoding};
