//! Any bytes, in one piece: a verdict, in time, without a panic; and no video without pictures or length.
#![no_main]

use libfuzzer_sys::fuzz_target;
use probe::Prober;

fuzz_target!(|file: &[u8]| {
    let mut prober = Prober::new();
    prober.feed(file);
    let proven = prober.proven_ms();
    if let Ok(media) = prober.finish() {
        assert!(media.duration_ms >= proven, "{} proven, {} told", proven, media.duration_ms);
        assert!(media.video().is_some());
    }
});
