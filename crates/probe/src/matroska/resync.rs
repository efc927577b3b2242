//! Finds the next top element after bytes that are not an element, as players do.
//!
//! This module must not depend on what the elements contain.

use super::element::{self, ElementId, HeaderParse};
use super::ids;
use crate::bytes::tail;
use crate::names::{NAME, NameSearch};

pub(super) enum TopSearch {
    At(usize),
    /// The number of bytes that certainly precede the next top element.
    NotWithin(usize),
}

/// The elements from which media, tracks and times are read. All of their identifiers have four bytes.
const SOUGHT: [ElementId; 4] = [ids::CLUSTER, ids::INFO, ids::TRACKS, ids::SEEK_HEAD];

static IDENTIFIERS: NameSearch = {
    let [cluster, info, tracks, index] = SOUGHT;
    NameSearch::new(&[cluster.to_be_bytes(), info.to_be_bytes(), tracks.to_be_bytes(), index.to_be_bytes()])
};

pub(super) fn find(window: &[u8]) -> TopSearch {
    find_any(window, |id| SOUGHT.contains(&id))
}

pub(super) fn find_cluster(window: &[u8]) -> TopSearch {
    find_any(window, |id| id == ids::CLUSTER)
}

/// Enough bytes for the headers of a top element and of the first one in it.
pub(super) const TOP_START: usize = 2 * (4 + 8);

/// Whether these bytes, which begin with the identifier of a top element, begin such an element: it has a size, and
/// first an element that it may hold. Compressed data may contain the identifier by chance.
pub(super) fn is_top(start: &[u8]) -> bool {
    let HeaderParse::Header(header) = element::parse(start) else { return false };
    let id = match element::parse(tail(start, header.length)) {
        HeaderParse::Header(first) => first.id,
        _ => return header.size == Some(0),
    };
    ids::may_begin(header.id, id)
}

/// Whether the identifier is the name of an element in an index: the element's position follows the name. Programs that
/// turn an index into padding may leave its bytes there.
pub(super) fn is_named(start: &[u8]) -> bool {
    tail(start, NAME).starts_with(&[0x53, 0xAC])
}

fn find_any(window: &[u8], is_sought: impl Fn(ElementId) -> bool) -> TopSearch {
    match IDENTIFIERS.next(window, |name| is_sought(ElementId::from_be_bytes(name))) {
        Some(at) => TopSearch::At(at),
        // An identifier may begin in the last bytes.
        None => TopSearch::NotWithin((window.len() + 1).saturating_sub(NAME)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_top_element_has_a_size_and_an_element_that_it_may_hold() {
        let cluster = |rest: &[u8]| is_top(&[&ids::CLUSTER.to_be_bytes()[..], rest].concat());
        assert!(cluster(&[0x8A, 0xE7, 0x81, 0]) && cluster(&[0x40, 99, 0xA3, 0x84]) && cluster(&[0x8A, 0xEC, 0x81]));
        assert!(cluster(&[0x01, 0, 0, 0, 0, 0, 0, 99, 0xE7, 0x01, 0, 0, 0, 0, 0, 0, 0, 8]), "long sizes");
        let information = |first: &[u8]| is_top(&[&ids::INFO.to_be_bytes()[..], &[0x8A], first].concat());
        assert!(information(&[0x2A, 0xD7, 0xB1, 0x83]) && information(&[0x4D, 0x80, 0x83]));
        assert!(!information(&[0xE7, 0x81]), "a time of clusters");
        assert!(cluster(&[0x80]), "an empty one");
        assert!(!cluster(&[0x8A, 0xD7, 0x81, 0]), "another element");
        assert!(!cluster(&[0, 0xE7, 0x81, 0]), "no size");
        assert!(!cluster(&[]) && !cluster(&[0x8A]));
    }

    #[test]
    fn an_index_names_a_cluster_in_front_of_its_position() {
        let id = ids::CLUSTER.to_be_bytes();
        assert!(is_named(&[&id[..], &[0x53, 0xAC, 0x82]].concat()));
        assert!(!is_named(&[&id[..], &[0x53, 0xAB, 0x84]].concat()) && !is_named(&id));
    }

    #[test]
    fn top_elements_are_found_and_the_last_bytes_may_begin_one() {
        let found = |window: &[u8]| match find(window) {
            TopSearch::At(at) => (true, at),
            TopSearch::NotWithin(passed) => (false, passed),
        };
        for id in SOUGHT.map(u32::to_be_bytes) {
            assert_eq!(found(&[&[9, 9], &id[..], &[9]].concat()), (true, 2));
            assert_eq!(found(&[&id[..1], &id].concat()), (true, 1));
            assert_eq!(found(&[&[9, 9], &id[..3]].concat()), (false, 2));
        }
        let before = [&ids::INFO.to_be_bytes()[..], &ids::CLUSTER.to_be_bytes()].concat();
        assert!(matches!(find_cluster(&before), TopSearch::At(4)), "only clusters");
        assert_eq!([found(&[9; 5]), found(&[9; 3])], [(false, 2), (false, 0)]);
    }
}
