//! `clipgate-origin`.

fn main() {}
