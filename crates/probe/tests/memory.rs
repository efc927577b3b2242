//! The prober's memory does not grow with the file.

mod support;

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use fixtures::boxes::{Video, atom, file_type, list, words};
use probe::Prober;
use support::clips::{ClipSpec, RECIPES, encode};

/// Counts the allocated bytes and their maximum.
struct CountingAllocator;

static NOW: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

#[expect(unsafe_code, reason = "an allocator cannot be written without unsafe code; this one only counts")]
// SAFETY: every call is passed to the system's allocator unchanged.
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let now = NOW.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        MOST.fetch_max(now, Ordering::Relaxed);
        // SAFETY: the caller upholds the system allocator's contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller upholds the system allocator's contract.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// Returns the peak memory of probing a file, in bytes.
fn high_water<'a>(chunks: impl Iterator<Item = &'a [u8]>) -> usize {
    let before = NOW.load(Ordering::Relaxed);
    MOST.store(before, Ordering::Relaxed);
    let mut prober = Prober::new();
    for chunk in chunks {
        prober.feed(chunk);
    }
    let _ = prober.finish();
    MOST.load(Ordering::Relaxed) - before
}

/// A single test, because all threads of the process share the counters.
#[test]
fn memory_stays_small_for_any_size_of_file_and_header() {
    let clip = ClipSpec { frames: 50, rate: 5, sound: true };
    for recipe in RECIPES {
        let Some(file) = encode(*recipe, clip) else {
            break;
        };
        let most = high_water(file.chunks(1000));
        println!("{}: {most} bytes at most", recipe.name);
        assert!(most < 64 * 1024, "{}: {most}", recipe.name);
    }

    let media = vec![0x5A; 64 * 1024];
    let header = [file_type(), words(&[95 * 64 * 1024 * 16 + 8]), b"mdat".to_vec()].concat();
    let movie = Video::default().movie(100);
    let body = std::iter::repeat_n(&media[..], 95 * 16);
    let most = high_water([&header[..]].into_iter().chain(body).chain([&movie[..]]));
    println!("95 MiB of media before the header: {most} bytes at most");
    assert!(most < 16 * 1024, "{most}");

    // A header of 40 MB: its tables are read but not stored.
    let mut sizes = words(&[0, 0, 10_000_000]);
    sizes.resize(sizes.len() + 40_000_000, 1);
    let table = list(*b"stbl", &[atom(*b"stsz", &sizes)]);
    let track = list(*b"trak", &[list(*b"mdia", &[list(*b"minf", &[table])])]);
    let file = [file_type(), list(*b"moov", &[track])].concat();
    let most = high_water(file.chunks(64 * 1024));
    println!("a header of 40 MB: {most} bytes at most");
    assert!(most < 16 * 1024, "{most}");
}
