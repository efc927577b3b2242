//! Groups videos that show nearly the same pictures, by a few pictures of each.
//!
//! Two videos are similar if at least half of the pictures of each, and at least two of them unless it has only one,
//! resemble a picture of the other. So a video is not similar to one that shares only its title card. All videos of a
//! group are similar to each other, so a group never grows along a chain of small differences.

use crate::MAX_DISTANCE_BITS;
use contract::PictureHash;

/// Returns the groups of two or more similar videos, as positions in `videos`. Each is in at most one group.
pub fn group_similar(videos: &[Vec<PictureHash>]) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<Member<'_>>> = Vec::new();
    for (position, pictures) in videos.iter().enumerate().filter(|(_, pictures)| !pictures.is_empty()) {
        let video = Member::new(position, pictures);
        match groups.iter_mut().find(|group| group.iter().all(|member| member.is_similar(pictures))) {
            Some(group) => group.push(video),
            None => groups.push(vec![video]),
        }
    }
    let groups = groups.into_iter().filter(|members| members.len() > 1);
    groups.map(|members| members.iter().map(|member| member.position).collect()).collect()
}

struct Member<'a> {
    position: usize,
    /// The pictures of the video, and all their appearances.
    pictures: &'a [PictureHash],
    appearances: Vec<[(PictureHash, u32); 16]>,
}

impl<'a> Member<'a> {
    fn new(position: usize, pictures: &'a [PictureHash]) -> Self {
        let appearances = pictures.iter().map(|picture| picture.appearances()).collect();
        Self { position, pictures, appearances }
    }

    fn is_similar(&self, others: &[PictureHash]) -> bool {
        let is_match = |appearances: &[(PictureHash, u32); 16], picture: &PictureHash| {
            appearances.iter().any(|(hash, bits)| picture.is_within(MAX_DISTANCE_BITS - bits, hash))
        };
        let own =
            self.appearances.iter().filter(|turned| others.iter().any(|picture| is_match(turned, picture))).count();
        let other =
            others.iter().filter(|picture| self.appearances.iter().any(|turned| is_match(turned, picture))).count();
        is_enough(own, self.pictures.len()) && is_enough(other, others.len())
    }
}

fn is_enough(matching: usize, pictures: usize) -> bool {
    matching * 2 >= pictures && matching >= pictures.min(2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Returns the hash of a picture. Different numbers are far apart.
    fn picture(number: u8) -> PictureHash {
        PictureHash::from_bytes(std::array::from_fn(|index| {
            let mixed = (u32::from(number) * 64 + u32::try_from(index).unwrap()).wrapping_mul(0x9E37_79B1);
            (mixed ^ (mixed >> 15)).wrapping_mul(0x85EB_CA6B).to_be_bytes()[0]
        }))
    }

    fn video(numbers: &[u8]) -> Vec<PictureHash> {
        numbers.iter().map(|number| picture(*number)).collect()
    }

    #[test]
    fn copies_in_any_orientation_are_one_group() {
        let turned = |appearance: usize| {
            video(&[1, 2, 3, 4]).into_iter().map(|hash| hash.appearances()[appearance].0).collect::<Vec<_>>()
        };
        let videos = [video(&[1, 2, 3, 4]), video(&[9, 10]), turned(1), turned(13), video(&[10, 9])];
        assert_eq!(group_similar(&videos), [vec![0, 2, 3], vec![1, 4]]);
    }

    #[test]
    fn videos_that_share_few_pictures_are_not_similar() {
        let title_card = [video(&[1, 2, 3, 4]), video(&[1, 20, 21, 22]), video(&[1])];
        assert_eq!(group_similar(&title_card), Vec::<Vec<usize>>::new());
        assert_eq!(group_similar(&[video(&[1, 20]), video(&[1, 21])]), Vec::<Vec<usize>>::new());
        assert_eq!(group_similar(&[video(&[1, 2, 3, 4]), video(&[3, 4, 20, 21])]), [vec![0, 1]]);
        assert_eq!(group_similar(&[video(&[1]), video(&[1])]), [vec![0, 1]]);
    }

    #[test]
    fn a_group_does_not_grow_along_a_chain() {
        let chain = [video(&[1, 2, 3, 4]), video(&[3, 4, 5, 6]), video(&[5, 6, 7, 8])];
        assert_eq!(group_similar(&chain), [vec![0, 1]]);
        let around_the_first = [video(&[1, 2, 3, 4]), video(&[1, 2, 20, 21]), video(&[3, 4, 30, 31])];
        assert_eq!(group_similar(&around_the_first), [vec![0, 1]]);
    }

    #[test]
    fn videos_without_hashes_are_never_similar() {
        assert_eq!(group_similar(&[Vec::new(), Vec::new()]), Vec::<Vec<usize>>::new());
    }

    proptest! {
        #[test]
        fn each_video_is_in_at_most_one_group_and_groups_keep_the_order(
            videos in prop::collection::vec(prop::collection::vec(0_u8..12, 0..5), 0..12),
        ) {
            let videos: Vec<_> = videos.iter().map(|numbers| video(numbers)).collect();
            let groups = group_similar(&videos);
            let mut seen = std::collections::BTreeSet::new();
            for group in &groups {
                prop_assert!(group.len() > 1 && group.is_sorted());
                prop_assert!(group.iter().all(|position| seen.insert(*position)));
            }
        }
    }
}
