//! Limits that the requests of one isolate share, in its memory. Other isolates have their own. Limits that must be
//! exact for a whole channel are enforced by the database.

mod holdings;
mod quota;
mod read_size;
mod turns;

pub(crate) use holdings::{Holding, Holdings};
pub(crate) use quota::{Quota, QuotaShare};
pub(crate) use read_size::ReadSize;
pub(crate) use turns::{Turn, Turns};
