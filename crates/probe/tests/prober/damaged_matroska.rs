//! Matroska files with bytes that are not elements, and with values that make no sense.

use crate::support::ebml::{
    SEGMENT, cluster_body, element, endless, header, information, live_cluster, live_start, tracks,
};
use crate::support::probe_whole;
use probe::FileRefusalKind;

/// No element begins with this byte.
const JUNK: &[u8] = &[0];

/// Returns the duration of a file with these pieces, or the kind of its refusal.
fn duration(pieces: &[Vec<u8>]) -> Result<u64, FileRefusalKind> {
    probe_whole(&pieces.concat()).map(|media| media.duration_ms).map_err(|refusal| refusal.kind())
}

/// Returns ten frames, 100 ms apart.
fn cluster(start: u64) -> Vec<u8> {
    live_cluster(&cluster_body(start, 10, 100))
}

#[test]
fn players_find_the_next_cluster_after_bytes_that_are_not_an_element() {
    for length in [1, 2, 3, 1_000] {
        let pieces = [live_start(None), cluster(0), JUNK.repeat(length), cluster(1_000), JUNK.repeat(length)];
        assert_eq!(duration(&pieces), Ok(1_950), "{length} bytes");
    }
}

#[test]
fn such_bytes_before_the_segment_make_the_file_malformed() {
    let pieces = [header(), JUNK.to_vec(), endless(SEGMENT), information(None), tracks(1), cluster(0)];
    assert_eq!(duration(&pieces), Err(FileRefusalKind::Malformed));
}

#[test]
fn a_timestamp_scale_of_zero_is_ignored() {
    let scale = element(&[0x15, 0x49, 0xA9, 0x66], &element(&[0x2A, 0xD7, 0xB1], &[0]));
    assert_eq!(duration(&[header(), endless(SEGMENT), scale, tracks(1), cluster(0)]), Ok(950));
}

#[test]
fn a_file_that_ends_within_an_element_is_truncated() {
    let mut file = [header(), element(SEGMENT, &[information(None), tracks(1), cluster(0)].concat())].concat();
    assert_eq!(duration(&[file.clone()]), Ok(950));
    file.pop();
    assert_eq!(duration(&[file]), Err(FileRefusalKind::Truncated));
    let declared = [live_start(Some(1_000.0)), cluster(0), vec![0xA3]];
    assert_eq!(duration(&declared), Err(FileRefusalKind::Truncated));
}

#[test]
fn the_duration_of_a_group_belongs_to_its_own_block() {
    let group = |parts: &[Vec<u8>]| element(&[0xA0], &parts.concat());
    let block = element(&[0xA1], &[0x81, 0, 0, 0, 0, 0]);
    let lasting = |ms: u8| element(&[0x9B], &[ms]);
    let time = element(&[0xE7], &[0]);
    let clusters = |groups: &[Vec<u8>]| live_cluster(&[time.clone(), groups.concat()].concat());
    let one_block = clusters(&[group(&[block.clone(), lasting(90)])]);
    assert_eq!(duration(&[live_start(None), one_block]), Ok(90));
    let stray = clusters(&[group(&[block, lasting(90)]), group(&[lasting(200)])]);
    assert_eq!(duration(&[live_start(None), stray]), Ok(90), "a group without a block");
}
