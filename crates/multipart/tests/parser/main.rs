//! Tests of the parser with whole forms.
//!
//! They are one program, because building a program for each file takes longer than running it. `bombs` is another one,
//! because it counts what the whole process allocates.

mod async_caller;
mod body;
mod boundary;
mod clients;
mod conformance;
mod disposition;
mod error_texts;
mod field_text;
#[path = "../support/form.rs"]
mod form;
mod headers;
mod linearity;
mod split_invariance;
#[path = "../support/splits.rs"]
mod splits;
#[path = "../support/stream.rs"]
mod stream;
#[path = "../support/transcript.rs"]
mod transcript;
#[path = "../support/vectors.rs"]
mod vectors;
