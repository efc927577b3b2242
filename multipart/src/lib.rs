//! A push parser for `multipart/form-data` whose memory is bounded by construction.
//!
//! It takes a request body in chunks of any size and answers with events that borrow their bytes
//! from those chunks; what it keeps between two chunks is one header block and a number.
//! It must not know what the fields mean, where the bytes come from or where they go: no IO,
//! no clock, no runtime. Refusing is part of its work: whatever two parsers might read
//! differently is an error here, and `docs/multipart-conformance.md` lists each such choice.
//!
//! ```
//! use multipart::{Boundary, Caps, Event, Parser};
//!
//! let boundary = Boundary::from_content_type("multipart/form-data; boundary=x")?;
//! let mut parser = Parser::new(&boundary, Caps::default());
//! let body = b"--x\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n--x--\r\n";
//! let mut value = Vec::new();
//! for mut chunk in body.chunks(7) {
//!     while let Some(event) = parser.next_event(&mut chunk)? {
//!         match event {
//!             Event::PartBegin(head) => assert_eq!(head.name, "a"),
//!             Event::Data(bytes) => value.extend_from_slice(bytes),
//!             Event::PartEnd | Event::End => {}
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
pub use error::Error;
pub use field_text::{FieldText, FieldTextError};
pub use parser::{Event, Parser};
pub use part_head::{PartHead, TransferEncoding};
