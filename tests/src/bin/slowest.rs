//! Prints the slowest tests of all suites, from the durations that their last runs recorded.

use anyhow::Result;

const COUNT: usize = 20;

fn main() -> Result<()> {
    let mut durations = tests::recorded_durations()?;
    durations.sort_by(|left, right| right.seconds.total_cmp(&left.seconds));
    println!("== the slowest {} of {} tests", durations.len().min(COUNT), durations.len());
    for one in durations.iter().take(COUNT) {
        println!("{:7.1} s  {}: {}", one.seconds, one.suite, one.name);
    }
    Ok(())
}
