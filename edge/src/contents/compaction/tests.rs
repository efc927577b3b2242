//! Contents before and after their compaction: the sizes of their rows, and failures on the way.

mod sizes;
mod steps;
