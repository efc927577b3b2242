//! Tests of the prober with whole files: real clips, damaged ones, and files that are built to deceive it.
//!
//! They are one program, because building a program for each file takes longer than running it. `memory.rs` is another
//! one, because it counts what the whole process allocates.

mod boundaries;
mod conformance;
mod damaged_matroska;
mod descriptions;
mod foreign_formats;
mod forged_avi;
mod forged_boxes;
mod forged_ogg;
mod forged_places;
mod forged_sound;
mod forged_streams;
mod forged_structures;
mod forged_tracks;
mod forgeries;
mod frozen_pictures;
mod honest_files;
mod hostile_input;
mod mutant_findings;
mod mutants;
mod names;
mod program_streams;
mod saved_state;
mod split_invariance;
#[path = "../support/mod.rs"]
mod support;
mod truncation;
mod two_minutes;
mod verdict_timing;
mod work;
