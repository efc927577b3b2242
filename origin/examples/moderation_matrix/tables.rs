//! The tables: the effect of each limit, the recognised disguises, and the false alarms.

use crate::Clip;
use crate::disguises::DISGUISES;
use contract::moderation::{FrameHash, Recommendation};
use similar_hashes::MAX_DISTANCE_BITS;
use similar_hashes::{BlockedFrame, BlocklistSearch};
use std::ops::{Range, RangeInclusive};

/// The limits to choose from, in steps of four bits.
const LIMITS: RangeInclusive<u32> = 48..=96;

/// Prints for each limit how many copies and how many unrelated pairs have a frame within it.
pub(crate) fn print_choice(clips: &[Clip]) {
    let copies: Vec<_> = clips.iter().flat_map(copy_distances).collect();
    let unrelated: Vec<_> = unrelated(clips).map(|(blocked, other)| nearest(plain(blocked), other)).collect();
    let within = |distances: &[u32], limit| distances.iter().filter(|distance| **distance <= limit).count();
    for limit in LIMITS.step_by(4) {
        let (found, wrong) = (within(&copies, limit), within(&unrelated, limit));
        println!("limit {limit}: {found} of {} copies, {wrong} of {} unrelated", copies.len(), unrelated.len());
    }
    println!("nearest unrelated: {:?} bits; the limit is {MAX_DISTANCE_BITS}", unrelated.iter().min());
}

/// Prints the table of `docs/moderation.md`: what the edge recommends about the copies of each kind.
pub(crate) fn print_disguises(clips: &[Clip]) {
    println!("| Disguise | Found | Rejected without a person | Differing bits: median, worst |\n|---|---|---|---|");
    let mut all_found = 0;
    for (index, (disguise, ..)) in DISGUISES.iter().enumerate() {
        let copies = clips.iter().map(|clip| (plain(clip), &*clip.hashes[index + 1]));
        let mut distances: Vec<_> = copies.clone().map(|(blocked, copy)| nearest(blocked, copy)).collect();
        distances.sort_unstable();
        let (found, rejected) = count_recommendations(copies);
        let (median, worst) = (distances.get(distances.len() / 2), distances.last());
        let [median, worst] = [median, worst].map(|bits| bits_or_none(bits.copied()));
        println!("| {disguise} | {found} of {} | {rejected} | {median}, {worst} |", clips.len());
        all_found += found;
    }
    println!("\n{all_found} of {} copies are found.\n\nMissed:", clips.len() * DISGUISES.len());
    for (index, (disguise, ..)) in DISGUISES.iter().enumerate() {
        let missed = clips.iter().filter(|clip| recommend(plain(clip), &clip.hashes[index + 1]).is_none());
        println!("    {disguise}: {:?}", missed.map(|clip| clip.name).collect::<Vec<_>>());
    }
}

fn bits_or_none(bits: Option<u32>) -> String {
    bits.filter(|bits| *bits <= 256).map_or_else(|| "no hash".to_owned(), |bits| bits.to_string())
}

/// Prints how many more unrelated videos match because a frame may have two hashes.
pub(crate) fn print_insets(clips: &[Clip]) {
    let frames = || clips.iter().flat_map(|clip| &clip.hashes);
    let (with, without) =
        (frames().map(Vec::len).sum::<usize>(), frames().map(|video| wholes(video).len()).sum::<usize>());
    println!(
        "{without} frames have {with} hashes; {} of the undisguised frames have two",
        clips.iter().map(|clip| plain(clip).len() - wholes(plain(clip)).len()).sum::<usize>()
    );
    for (name, reduce) in [("whole pictures", wholes as fn(&[FrameHash]) -> Vec<FrameHash>), ("both", <[_]>::to_vec)] {
        let pairs = || unrelated(clips).map(|(blocked, other)| (reduce(plain(blocked)), reduce(other)));
        let found = pairs().filter_map(|(blocked, other)| recommend(&blocked, &other)).count();
        let nearest = pairs().map(|(blocked, other)| nearest(&blocked, &other)).min();
        println!("{name}: {found} of {} unrelated pairs match; nearest {nearest:?}", pairs().count());
    }
}

/// Returns the first hash of each frame.
fn wholes(video: &[FrameHash]) -> Vec<FrameHash> {
    let mut video = video.to_vec();
    video.dedup_by_key(|frame| frame.at_ms);
    video
}

/// Prints what the edge recommends about videos that are no copies.
pub(crate) fn print_false_alarms(clips: &[Clip]) {
    let pairs = || unrelated(clips).map(|(blocked, other)| (plain(blocked), other));
    let (found, rejected) = count_recommendations(pairs());
    let nearest = pairs().map(|(blocked, other)| nearest(blocked, other)).min();
    println!("{} unrelated pairs: {found} found, {rejected} rejected; nearest {nearest:?}", pairs().count());
    for limit in LIMITS.step_by(4) {
        let within = |range: &Range<usize>| pairs().filter(|(a, b)| nearest_in(range, a, b) <= limit).count();
        let [upright, inverted] = [0..8, 8..16].map(|range| within(&range));
        println!("limit {limit}: {upright} pairs are similar as they are, {inverted} with inverted colours");
    }
}

fn plain(clip: &Clip) -> &[FrameHash] {
    &clip.hashes[0]
}

fn copy_distances(clip: &Clip) -> impl Iterator<Item = u32> {
    clip.hashes[1..].iter().map(|copy| nearest(plain(clip), copy))
}

/// Returns each clip with each other clip, undisguised and in each disguise.
fn unrelated(clips: &[Clip]) -> impl Iterator<Item = (&Clip, &[FrameHash])> {
    let others = move |blocked: &'static str| clips.iter().filter(move |other| other.name != blocked);
    clips.iter().flat_map(move |blocked| {
        others(blocked.name).flat_map(|other| &other.hashes).map(move |hashes| (blocked, hashes.as_slice()))
    })
}

/// Returns how many of the pairs of a blocked and a reported video are found, and how many of these are rejected
/// without a person.
fn count_recommendations<'a>(pairs: impl Iterator<Item = (&'a [FrameHash], &'a [FrameHash])>) -> (usize, usize) {
    let found: Vec<_> = pairs.filter_map(|(blocked, copy)| recommend(blocked, copy)).collect();
    (found.len(), found.iter().filter(|recommendation| **recommendation == Recommendation::Reject).count())
}

/// Returns what the edge recommends about a video, if the frames of another one are on the blocklist.
fn recommend(blocked: &[FrameHash], reported: &[FrameHash]) -> Option<Recommendation> {
    let blocked: Vec<_> = blocked.iter().map(|frame| BlockedFrame { content: 1, hash: frame.hash }).collect();
    let mut search = BlocklistSearch::new(reported);
    search.add_page(&blocked);
    search.finding().map(|finding| finding.recommendation)
}

/// Returns the distance of the two most similar frames, of which one may be turned, mirrored or inverted.
fn nearest(first: &[FrameHash], second: &[FrameHash]) -> u32 {
    nearest_in(&(0..16), first, second)
}

/// Returns the distance of the two most similar frames in some appearances: the first eight have no inverted colours.
fn nearest_in(appearances: &Range<usize>, first: &[FrameHash], second: &[FrameHash]) -> u32 {
    let of = |frame: &FrameHash| frame.hash.appearances().into_iter().enumerate();
    let appearances =
        first.iter().flat_map(of).filter(|(index, _)| appearances.contains(index)).map(|(_, appearance)| appearance);
    let distances =
        appearances.flat_map(|(hash, bits)| second.iter().map(move |other| hash.distance(&other.hash) + bits));
    distances.min().unwrap_or(u32::MAX)
}
