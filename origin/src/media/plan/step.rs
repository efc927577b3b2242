//! Divides the work for a video between two jobs: what it needs to be published, and the rest. Pure.
//!
//! Both jobs make the same plan of the same source, and each carries out its part. So a video that is made in two steps
//! has the same files as one that is made at once.

use super::Plan;
use super::ladder::Rung;
use super::second_codec::SecondLadder;
use contract::RenditionName;
use std::ops::Range;

/// The largest encoded rung that a video needs to be published. The small pictures are made from it. With 480p, the
/// first step of a clip in 1080p took a quarter longer.
const LARGEST_SOON: u32 = 360;

/// The part of a plan that one job carries out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Step {
    #[default]
    Whole,
    /// Everything that the video needs to be published: the evidence for moderation, all pictures, the sound, and the
    /// copied rung or the small ones.
    First,
    /// The other rungs and the second codec. The files of the first step are among the outputs already.
    Rest,
}

impl Plan {
    /// Leaves to a later job what the video does not need to be published. If that is nothing, the plan stays whole.
    #[must_use]
    pub fn first_step(self) -> Self {
        let leaves_something = self.soonest_encoded() > self.first_encoded() || self.second.is_some();
        Self { step: if leaves_something { Step::First } else { Step::Whole }, ..self }
    }

    /// Leaves out what the first step has made.
    #[must_use]
    pub fn rest(self) -> Self {
        Self { step: Step::Rest, ..self }
    }

    /// Returns the index of the largest rung that is encoded.
    fn first_encoded(&self) -> usize {
        usize::from(self.copy_video)
    }

    /// Returns the index of the largest rung that is encoded in the first step. The pictures are made from that rung or
    /// a smaller one, so a video in 432p, whose only smaller rung is too small for pictures, is encoded in 432p.
    ///
    /// A copied rung is enough to be published, so a video that has others for later leaves them all.
    fn soonest_encoded(&self) -> usize {
        if self.copy_video && self.rungs.get(1).is_some_and(|next| next.name >= LARGEST_SOON) {
            return self.rungs.len();
        }
        let of_pictures = self.picture_rung().map_or(0, |(index, _)| index);
        let small = self.rungs.iter().position(|rung| rung.name <= LARGEST_SOON);
        small.unwrap_or(0).min(of_pictures).max(self.first_encoded())
    }

    /// Returns the indices of the rungs that this step encodes.
    pub(in crate::media) fn encoded_rungs(&self) -> Range<usize> {
        match self.step {
            Step::Whole => self.first_encoded()..self.rungs.len(),
            Step::First => self.soonest_encoded()..self.rungs.len(),
            Step::Rest => self.first_encoded()..self.soonest_encoded(),
        }
    }

    /// Whether this step copies the source's packets.
    pub(in crate::media) fn copies_video(&self) -> bool {
        self.copy_video && self.makes_evidence()
    }

    /// Whether this step makes the pictures, the sound, and the evidence for moderation.
    pub(in crate::media) fn makes_evidence(&self) -> bool {
        self.step != Step::Rest
    }

    /// Whether the small pictures are kept in a file of their own, because no rendition of this step consists of them.
    pub(in crate::media) fn keeps_small_pictures(&self) -> bool {
        let is_encoded = |(index, _)| self.encoded_rungs().contains(&index);
        self.makes_evidence() && !self.picture_rung().is_some_and(is_encoded)
    }

    /// Whether this step makes the sound for poor connections. It comes with their rung.
    pub(in crate::media) fn makes_low_sound(&self) -> bool {
        self.sound.is_some() && self.made_rungs().any(|(_, rung)| rung.is_low)
    }

    /// Whether the sound for poor connections is among the outputs once this step is done.
    pub(in crate::media) fn has_low_sound(&self) -> bool {
        self.sound.is_some() && self.available_rungs().any(|rung| rung.is_low)
    }

    /// Whether an earlier step has made the sound for poor connections.
    pub(in crate::media) fn has_earlier_low_sound(&self) -> bool {
        self.sound.is_some() && self.earlier_rungs().any(|rung| rung.is_low)
    }

    /// Returns the index of the rung in the progressive file: the largest that can be watched after this step.
    pub(in crate::media) fn progressive_rung(&self) -> usize {
        if self.step == Step::First && !self.copy_video { self.soonest_encoded() } else { 0 }
    }

    /// Whether this step writes the progressive file.
    pub(in crate::media) fn makes_progressive(&self) -> bool {
        self.copies_video() || self.encoded_rungs().contains(&self.progressive_rung())
    }

    /// Returns the renditions in a second codec, unless they are made later.
    pub(in crate::media) fn second_ladder(&self) -> Option<&SecondLadder> {
        self.second.as_ref().filter(|_| self.step != Step::First)
    }

    /// Returns the indices and rungs that this step makes.
    pub(in crate::media) fn made_rungs(&self) -> impl Iterator<Item = (usize, &Rung)> {
        let (copies, encoded) = (self.copies_video(), self.encoded_rungs());
        self.rungs.iter().enumerate().filter(move |(index, _)| (copies && *index == 0) || encoded.contains(index))
    }

    /// Returns the rungs that can be watched after this step.
    pub(in crate::media) fn available_rungs(&self) -> impl Iterator<Item = &Rung> {
        let made: Vec<usize> = self.made_rungs().map(|(index, _)| index).collect();
        let is_available = move |index: &usize| self.step == Step::Rest || made.contains(index);
        self.rungs.iter().enumerate().filter(move |(index, _)| is_available(index)).map(|(_, rung)| rung)
    }

    /// Returns the rungs that the first step has made, if this step is the rest.
    pub fn earlier_rungs(&self) -> impl Iterator<Item = &Rung> {
        let made: Vec<usize> = self.made_rungs().map(|(index, _)| index).collect();
        let is_earlier = move |index: &usize| self.step == Step::Rest && !made.contains(index);
        self.rungs.iter().enumerate().filter(move |(index, _)| is_earlier(index)).map(|(_, rung)| rung)
    }

    /// Returns the names of the renditions that can be watched after this step, those in H.264 first.
    pub(in crate::media) fn rendition_names(&self) -> impl Iterator<Item = RenditionName> {
        let second = self.second_ladder().into_iter().flat_map(SecondLadder::names);
        self.available_rungs().map(|rung| rung.name.into()).chain(second)
    }
}

#[cfg(test)]
mod tests {
    use super::super::ThumbnailChoice;
    use super::super::sound::examples::copied_sound;
    use super::*;
    use crate::media::encoders::SecondCodec;
    use crate::media::source::examples::plain_inspection;

    fn plan(height: u32, copy_video: bool, second: bool) -> Plan {
        let mut inspection = plain_inspection();
        (inspection.video.width, inspection.video.height) = (height * 16 / 9 / 2 * 2, height);
        let mut plan = Plan { copy_video, ..Plan::new(&inspection, None, &ThumbnailChoice::Best) };
        if second {
            plan.second = SecondLadder::new(SecondCodec::Av1, &plan.rungs);
        }
        plan
    }

    fn names<'a>(rungs: impl Iterator<Item = &'a Rung>) -> Vec<u32> {
        rungs.map(|rung| rung.name).collect()
    }

    #[test]
    fn the_steps_together_make_every_rung_once() {
        for (height, copy_video) in (200..=1080).step_by(8).flat_map(|height| [(height, false), (height, true)]) {
            let whole = plan(height, copy_video, true);
            let (first, rest) = (whole.clone().first_step(), whole.clone().rest());
            let mut made: Vec<usize> = first.made_rungs().chain(rest.made_rungs()).map(|(index, _)| index).collect();
            made.sort_unstable();
            assert!(made.into_iter().eq(0..whole.rungs.len()), "{height} {copy_video}");
            assert_eq!(names(first.available_rungs()), names(rest.earlier_rungs()), "{height} {copy_video}");
            assert!(rest.rendition_names().eq(whole.rendition_names()), "{height} {copy_video}");
            assert!(first.second_ladder().is_none() && rest.second_ladder().is_some());
            let (of_pictures, _) = whole.picture_rung().unwrap();
            let is_made = first.encoded_rungs().contains(&of_pictures);
            assert!(is_made || copy_video, "{height}");
        }
    }

    #[test]
    fn the_first_step_makes_the_copied_rung_or_the_small_ones() {
        let first = |height, copy_video| names(plan(height, copy_video, false).first_step().available_rungs());
        assert_eq!(first(1080, false), [360, 240]);
        assert_eq!(first(540, false), [360, 240]);
        assert_eq!(first(432, false), [432, 240]);
        assert_eq!(first(1080, true), [1080]);
        assert_eq!(first(480, true), [480]);
        assert_eq!(first(440, true), [440, 240]);
    }

    #[test]
    fn the_sound_for_poor_connections_comes_with_their_rung() {
        let sound = |copy_video| {
            let plan = Plan { sound: Some(copied_sound()), ..plan(1080, copy_video, false) };
            let steps = [plan.clone().first_step(), plan.rest()];
            steps.map(|step| (step.makes_low_sound(), step.has_earlier_low_sound(), step.has_low_sound()))
        };
        assert_eq!(sound(false), [(true, false, true), (false, true, true)]);
        assert_eq!(sound(true), [(false, false, false), (true, false, true)]);
    }

    #[test]
    fn a_small_video_is_made_at_once_unless_it_has_a_second_codec() {
        let step = |height, copy_video, second| plan(height, copy_video, second).first_step().step;
        assert_eq!([step(360, false, false), step(440, true, false)], [Step::Whole; 2]);
        assert_eq!([step(360, false, true), step(360, true, true)], [Step::First; 2]);
        assert_eq!([step(720, false, false), step(480, true, false)], [Step::First; 2]);
    }

    #[test]
    fn each_step_writes_the_progressive_file_if_it_makes_the_largest_rung() {
        let files = |plan: Plan| (plan.progressive_rung(), plan.makes_progressive());
        let encoded = plan(1080, false, false);
        assert_eq!(files(encoded.clone().first_step()), (3, true));
        assert_eq!(files(encoded.rest()), (0, true));
        let copied = plan(1080, true, false);
        assert_eq!(files(copied.clone().first_step()), (0, true));
        assert_eq!(files(copied.rest()), (0, false));
        assert_eq!(files(plan(360, false, true).rest()), (0, false));
    }
}
