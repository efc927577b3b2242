//! Arbitrary bytes, split anywhere, get the same verdict as the whole file, even if the prober is saved and restored at
//! every split. The first bytes of the input choose the splits.
#![no_main]

use libfuzzer_sys::fuzz_target;
use probe::Prober;

fuzz_target!(|input: &[u8]| {
    let Some((seeds, file)) = input.split_at_checked(8) else { return };
    let mut whole = Prober::new();
    whole.feed(file);
    let mut split = Prober::new();
    let mut skipping = Prober::new();
    let mut saved = Prober::new();
    let mut rest = file;
    for seed in seeds.iter().cycle() {
        if rest.is_empty() {
            break;
        }
        let size = usize::from(*seed).pow(2).clamp(1, rest.len());
        let (chunk, after) = rest.split_at(size);
        split.feed(chunk);
        feed_unless_skippable(&mut skipping, chunk);
        if let Some(state) = saved.save() {
            assert!(state.len() <= Prober::MOST_SAVED);
            saved = Prober::restore(&state).expect("a state that was just saved");
        }
        saved.feed(chunk);
        rest = after;
    }
    assert_eq!(whole.proven_ms(), split.proven_ms());
    let expected = whole.finish();
    assert_eq!(expected, split.finish());
    assert_eq!(expected, skipping.finish());
    assert_eq!(expected, saved.finish());
});

fn feed_unless_skippable(prober: &mut Prober, mut chunk: &[u8]) {
    let skipped = usize::try_from(prober.skippable()).unwrap_or(usize::MAX).min(chunk.len());
    prober.skip(skipped as u64);
    chunk = &chunk[skipped..];
    prober.feed(chunk);
}
