//! Prints a table of the processor time for files of 90 MB that cost the prober as much work as possible, in chunks as
//! the edge receives them. Run it with `cargo bench -p probe --bench crafted`. With `-- ts`, it measures only the files
//! whose names contain `ts`.

use cpu_time::ProcessTime;
use probe::Prober;

#[path = "../tests/support/crafted.rs"]
#[allow(unreachable_pub, reason = "the tests use the same file")]
mod crafted;

const SIZE: usize = 90_000_000;
/// The chunk size that the edge receives.
const CHUNK: usize = 64 * 1024;
/// The fastest run counts, because other work on the machine slows some runs down even in processor time.
const RUNS: usize = 3;

fn main() {
    println!("| file | ms | steps | verdict |\n|---|---|---|---|");
    let wanted = std::env::args().skip(1).find(|argument| !argument.starts_with('-')).unwrap_or_default();
    for (name, craft) in crafted::CRAFTED.iter().filter(|(name, _)| name.contains(&wanted)) {
        let file = craft(SIZE);
        let mut best = u128::MAX;
        let mut row = String::new();
        for _ in 0..RUNS {
            let start = ProcessTime::now();
            let mut prober = Prober::new();
            for chunk in file.chunks(CHUNK) {
                prober.feed(chunk);
            }
            let steps = prober.steps();
            let verdict = prober.finish().map_or_else(|refusal| refusal.to_string(), |media| format!("{media:?}"));
            best = best.min(start.elapsed().as_millis());
            row = format!("{steps} | {}", verdict.chars().take(60).collect::<String>());
        }
        println!("| {name} | {best} | {row} |");
    }
}
