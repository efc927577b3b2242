//! Contents before and after their compaction: the sizes of their rows, and what fails on the way.

mod sizes;
mod steps;
