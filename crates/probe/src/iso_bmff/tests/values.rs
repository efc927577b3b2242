//! The values that a movie collects from its boxes, at the limits of what is accepted.

use crate::FileRefusal;
use crate::iso_bmff::boxes::BoxEnd;
use crate::iso_bmff::contradiction::Contradiction;
use crate::iso_bmff::movie::Movie;
use crate::iso_bmff::table::TableKind;
use fixtures::boxes::words;

#[test]
fn the_start_of_a_fragment_comes_after_its_header_and_before_its_samples() {
    let contradiction = |boxes: &[&str]| {
        let mut movie = Movie::default();
        movie.absorb_leaf(*b"trex", &words(&[0, 1, 1, 100]));
        movie.open(*b"trak").expect("a track");
        movie.tracks[0].id = 1;
        for name in boxes {
            match *name {
                "traf" => movie.open(*b"traf").expect("a fragment"),
                "tfhd" => movie.absorb_leaf(*b"tfhd", &words(&[0, 1])),
                "tfdt" => movie.absorb_leaf(*b"tfdt", &words(&[0, 500])),
                _ => drop(movie.open_table(*b"trun", &words(&[0, 1]), 100)),
            }
        }
        movie.contradiction
    };
    let disordered = Some(Contradiction::DisorderedFragments);
    assert_eq!(contradiction(&["traf", "tfhd", "tfdt", "trun"]), None);
    assert_eq!(contradiction(&["traf", "tfdt", "tfhd"]), disordered);
    assert_eq!(contradiction(&["traf", "tfhd", "trun", "tfdt"]), disordered);
    assert_eq!(contradiction(&["traf", "trun"]), disordered);
    assert_eq!(contradiction(&["traf", "tfhd", "traf", "trun"]), disordered, "the header of another fragment");
}

#[test]
fn as_many_defaults_are_kept_as_a_movie_may_have_tracks() {
    let mut movie = Movie::default();
    for id in 1..=64 {
        movie.absorb_leaf(*b"trex", &words(&[0, id, 1, 100]));
    }
    assert_eq!((movie.defaults.len(), movie.contradiction), (64, None));
    movie.absorb_leaf(*b"trex", &words(&[0, 65, 1, 100]));
    assert_eq!((movie.defaults.len(), movie.contradiction), (64, Some(Contradiction::SeveralDefaults)));
}

#[test]
fn a_movie_has_at_most_1024_edits() {
    let open_after = |edits: u32| {
        let mut movie = Movie::default();
        movie.open(*b"trak").expect("a track");
        let layout = movie.open_table(*b"elst", &words(&[0, edits]), 0).expect("edits");
        for _ in 0..edits {
            movie.absorb_entries(layout.kind, 12, &words(&[10, 0, 0]));
        }
        movie.open(*b"mdia")
    };
    assert!(open_after(1_024).is_ok());
    assert!(matches!(open_after(1_025), Err(FileRefusal::MetadataTooLarge { .. })));
}

#[test]
fn behind_the_declared_edits_there_may_be_reserved_space() {
    let has_surplus = |entry: &[u32]| {
        let mut movie = Movie::default();
        movie.open(*b"trak").expect("a track");
        let layout = movie.open_table(*b"elst", &words(&[0, 1]), 0).expect("edits");
        movie.absorb_entries(layout.kind, 12, &words(&[10, 0, 0]));
        movie.absorb_entries(layout.kind, 12, &words(entry));
        movie.tracks[0].has_surplus_edits
    };
    assert!(!has_surplus(&[0, 0, 0]) && has_surplus(&[0, 0, 1]) && has_surplus(&[u32::MAX; 3]));
}

#[test]
fn a_fragment_awaits_its_media_unless_some_of_it_came_before_its_end() {
    let awaits = |media_at: Option<u32>| {
        let mut movie = Movie::default();
        movie.open(*b"moof").expect("a fragment");
        movie.begin_fragment(0, 100);
        if let Some(at) = media_at {
            movie.open_table(*b"trun", &words(&[0x1, 1, at]), 100);
        }
        movie.is_awaiting_media()
    };
    assert_eq!([awaits(None), awaits(Some(100)), awaits(Some(99))], [true, true, false]);
    assert!(!Movie::default().is_awaiting_media(), "no fragment");
    let mut complete = Movie::default();
    complete.open(*b"moof").expect("a fragment");
    complete.begin_fragment(0, 100);
    complete.media_begins(true, BoxEnd::At(200), 8);
    assert!(!complete.is_awaiting_media());
}

#[test]
fn the_sizes_of_samples_add_up() {
    let mut movie = Movie::default();
    movie.open(*b"trak").expect("a track");
    for size in [700, 300] {
        movie.absorb_entries(TableKind::SampleSizes, 4, &words(&[size]));
    }
    assert_eq!(movie.tracks[0].samples.bytes, 1_000);
}

#[test]
fn the_tables_of_a_track_are_reduced_to_their_times_when_it_ends() {
    let mut movie = Movie::default();
    movie.open(*b"trak").expect("a track");
    movie.absorb_entries(TableKind::TimeToSample, 8, &words(&[50, 40]));
    movie.close_track();
    movie.absorb_entries(TableKind::TimeToSample, 8, &words(&[50, 40]));
    assert_eq!(movie.tracks[0].samples.presentation(), (0, 2_000));
}
