//! Groups videos that show nearly the same pictures, by a few pictures of each.
//!
//! Two videos are similar if at least half of the pictures of each resemble a picture of the other. So a video is not
//! similar to one that shares only its title card. A group is formed around its first video: all others are similar to
//! that one, so a group never grows along a chain of small differences.

use crate::MAX_DISTANCE_BITS;
use contract::PictureHash;

/// Returns the groups of two or more similar videos, as positions in `videos`. Each is in at most one group.
pub fn group_similar(videos: &[Vec<PictureHash>]) -> Vec<Vec<usize>> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    for (position, pictures) in videos.iter().enumerate().filter(|(_, pictures)| !pictures.is_empty()) {
        match groups.iter_mut().find(|group| group.is_similar(pictures)) {
            Some(group) => group.members.push(position),
            None => groups.push(Group::new(position, pictures)),
        }
    }
    groups.into_iter().map(|group| group.members).filter(|members| members.len() > 1).collect()
}

struct Group<'a> {
    /// The pictures of the first video, and all their appearances.
    pictures: &'a [PictureHash],
    appearances: Vec<[(PictureHash, u32); 16]>,
    members: Vec<usize>,
}

impl<'a> Group<'a> {
    fn new(position: usize, pictures: &'a [PictureHash]) -> Self {
        let appearances = pictures.iter().map(|picture| picture.appearances()).collect();
        Self { pictures, appearances, members: vec![position] }
    }

    fn is_similar(&self, pictures: &[PictureHash]) -> bool {
        let is_match = |appearances: &[(PictureHash, u32); 16], picture: &PictureHash| {
            appearances.iter().any(|(hash, bits)| picture.is_within(MAX_DISTANCE_BITS - bits, hash))
        };
        let of_first =
            self.appearances.iter().filter(|turned| pictures.iter().any(|picture| is_match(turned, picture))).count();
        let of_other =
            pictures.iter().filter(|picture| self.appearances.iter().any(|turned| is_match(turned, picture))).count();
        of_first * 2 >= self.pictures.len() && of_other * 2 >= pictures.len()
    }
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
        assert_eq!(group_similar(&[video(&[1, 2, 3, 4]), video(&[3, 4, 20, 21])]), [vec![0, 1]]);
    }

    #[test]
    fn a_group_does_not_grow_along_a_chain() {
        let chain = [video(&[1, 2, 3, 4]), video(&[3, 4, 5, 6]), video(&[5, 6, 7, 8])];
        assert_eq!(group_similar(&chain), [vec![0, 1]]);
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
