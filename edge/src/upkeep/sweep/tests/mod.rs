//! The sweep on real SQLite and an object store in memory.

mod completions_queue;
mod failures;
mod fairness;
mod growth;
mod jobs_and_objects;
mod outages;
mod turns;
