//! Tests of nested elements: which ones an element may contain, and the position at which each ends.

use super::*;

/// An unknown element.
const UNKNOWN: ElementId = 0x4FFF;
const VOID: ElementId = 0xEC;

fn header(id: ElementId, size: Option<u64>) -> ElementHeader {
    ElementHeader { id, length: 4, size }
}

/// Opens these elements at position 0, each in the one before it.
fn opened(elements: &[(ElementId, Option<u64>)]) -> Scopes {
    let mut scopes = Scopes::default();
    for (id, size) in elements {
        assert!(!scopes.open(&header(*id, *size), 0), "not too deep");
    }
    scopes
}

/// Returns how many elements stay open before an element at this position.
fn left_open(elements: &[(ElementId, Option<u64>)], at: u64, id: ElementId) -> usize {
    let mut scopes = opened(elements);
    scopes.close_before(at, id);
    scopes.open.len()
}

#[test]
fn an_element_is_open_up_to_its_end() {
    let segment = [(ids::SEGMENT, Some(100))];
    assert_eq!([left_open(&segment, 103, VOID), left_open(&segment, 104, VOID)], [1, 0]);
    let inner = [(ids::SEGMENT, Some(100)), (ids::CLUSTER, Some(50))];
    assert_eq!([left_open(&inner, 53, VOID), left_open(&inner, 54, VOID), left_open(&inner, 104, VOID)], [2, 1, 0]);
}

#[test]
fn an_element_of_unknown_size_ends_with_its_parent_or_before_an_element_that_it_cannot_hold() {
    let live = [(ids::SEGMENT, None), (ids::CLUSTER, None)];
    let left = |id| left_open(&live, 1_000, id);
    assert_eq!([left(ids::SIMPLE_BLOCK), left(VOID), left(UNKNOWN)], [2, 2, 2]);
    assert_eq!([left(ids::CLUSTER), left(ids::EBML)], [1, 0]);
    assert_eq!(left_open(&[(ids::SEGMENT, None), (ids::CLUSTER, Some(2_000))], 1_000, ids::CLUSTER), 2);
    assert_eq!(left_open(&[(ids::SEGMENT, Some(100)), (ids::CLUSTER, None)], 104, ids::SIMPLE_BLOCK), 0);
}

#[test]
fn an_element_is_treated_by_its_parent_and_must_end_by_the_end_of_it() {
    let segment = opened(&[(ids::SEGMENT, Some(100))]);
    let place = |id, size| segment.place(&header(id, size), 4);
    assert_eq!([place(ids::CLUSTER, Some(96)), place(ids::CLUSTER, Some(97))], [Place::Known, Place::TooLong]);
    assert_eq!([place(VOID, Some(96)), place(VOID, Some(97))], [Place::Skipped, Place::TooLong]);
    assert_eq!(place(UNKNOWN, Some(96)), Place::Unknown { end: Some(104) });
    assert_eq!([place(UNKNOWN, Some(97)), place(UNKNOWN, None)], [Place::Unknown { end: None }; 2]);
    assert_eq!(place(ids::SIMPLE_BLOCK, Some(1)), Place::Foreign);
    let endless = opened(&[(ids::SEGMENT, None)]);
    assert_eq!(endless.place(&header(ids::CLUSTER, Some(u64::MAX)), 4), Place::Known);
}

#[test]
fn a_single_element_may_come_once_in_each_parent() {
    let mut scopes = opened(&[(ids::SEGMENT, None)]);
    assert!(!scopes.is_repeated(ids::TRACKS) && !scopes.is_repeated(ids::INFO));
    assert!(scopes.is_repeated(ids::TRACKS) && scopes.is_repeated(ids::INFO) && scopes.is_repeated(ids::INFO));
    assert!(!scopes.is_repeated(ids::CLUSTER) && !scopes.is_repeated(ids::CLUSTER));
    scopes.open(&header(ids::SEGMENT, None), 0);
    assert!(!scopes.is_repeated(ids::TRACKS));
}

#[test]
fn eight_elements_may_be_open() {
    let mut scopes = opened(&[(ids::SEGMENT, None); MAX_DEPTH]);
    assert!(scopes.open(&header(ids::CLUSTER, None), 0));
}

#[test]
fn a_search_leaves_everything_but_the_segment() {
    let mut scopes = opened(&[(ids::SEGMENT, None), (ids::CLUSTER, None), (ids::BLOCK_GROUP, None)]);
    scopes.leave_to_segment();
    assert_eq!((scopes.open.len(), scopes.open[0].id), (1, ids::SEGMENT));
    let mut scopes = opened(&[(ids::EBML, None), (ids::DOC_TYPE, None)]);
    scopes.leave_to_segment();
    assert!(scopes.is_at_root());
}

#[test]
fn only_a_segment_without_a_size_is_endless() {
    let is_endless = |id, size| opened(&[(id, size)]).is_segment_endless();
    assert!(is_endless(ids::SEGMENT, None));
    assert!(!is_endless(ids::SEGMENT, Some(9)) && !is_endless(ids::EBML, None));
    assert!(!Scopes::default().is_segment_endless());
}
