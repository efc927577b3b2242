//! The services that an origin calls: the edge, the queue, the object store, the classifier and the collector of
//! spans.
//!
//! Each submodule is the only place that knows the protocol of its service. None of them decides what happens to a job,
//! and none may import another folder of this crate.

pub mod classifier;
pub mod collector;
pub mod edge;
pub mod http;
pub mod queue;
mod reach;
pub mod store;
