//! Arbitrary bytes in one piece get a verdict in time and without a panic, and a video always has a video track and a
//! duration.
#![no_main]

use libfuzzer_sys::fuzz_target;
use probe::Prober;

fuzz_target!(|file: &[u8]| {
    let mut prober = Prober::new();
    prober.feed(file);
    let proven = prober.proven_ms();
    if let Ok(media) = prober.finish() {
        assert!(media.duration_ms >= proven, "{} proven, {} final", proven, media.duration_ms);
        assert!(media.video().is_some());
    }
});
