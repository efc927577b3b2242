//! Moderation at the edge: the blocklist that every report is compared with, and the people who decide what no check
//! can. What the origin's checks found comes with its report.

pub mod blocklist;
pub mod decide;
pub mod history;
pub mod queue;
pub mod screen;

#[cfg(test)]
mod tests;
