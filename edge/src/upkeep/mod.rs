//! Upkeep: the sweep that runs every minute, the removal log, the comparison of database and objects, the gauges for
//! operators, and the export and erasure of accounts.

pub(crate) mod accounts;
pub(crate) mod fsck;
pub(crate) mod gauges;
pub(crate) mod removals;
pub(crate) mod sweep;
