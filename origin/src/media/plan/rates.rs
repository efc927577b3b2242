//! Fits the bit rates of the rungs to the video: one that is hard to compress gets more than the usual peaks, and one
//! that would need far more than the peak is encoded more coarsely.
//!
//! No peak is ever lowered. The constant quality already makes easy videos small, whatever the peak; and the look sees
//! only a few frames, so a video that looks easy may still have a hard scene.

use super::ladder::{LOW, Rung};
use super::{Plan, Step};
use crate::media::source::{COARSER, Demand, Inspection, Look};
use crate::media::{MediaContext, MediaError};

/// The largest factor. A copied first rendition may have as many bits; more would only help those with fast lines.
const MAX_RAISE: f64 = 1.6;

/// Noise that needs more than this many times the peak starves: the encoder plans for bits that it cannot have, spends
/// its buffer early, and has too few for the frames after that. Up to here it copes. The look also overestimates fine
/// noise, by up to a factor of two.
const STARVING: f64 = 3.0;

/// The look is at the frames after the last keyframe before these parts of the video.
const PARTS: [f64; 3] = [1.0 / 6.0, 0.5, 5.0 / 6.0];

/// Looks at one frame of this many, so that a look takes a small part of the encode's time.
const FRAMES_PER_LOOK: u64 = 25;

/// The fewest and the most frames at one place.
const MIN_FRAMES: u64 = 4;
const MAX_FRAMES: u64 = 12;

/// Returns the plan with rates that fit the pictures. A copy keeps the rates that follow from its own, and a video that
/// cannot be measured the usual ones.
///
/// A first step does not look at the pictures, which would take longer than its small rungs gain: these get the highest
/// peaks, a twelfth above the usual ones.
pub fn plan_rates(context: &MediaContext<'_>, inspection: &Inspection, mut plan: Plan) -> Result<Plan, MediaError> {
    match plan.step {
        _ if plan.copy_video => {}
        Step::First => raise(&mut plan.rungs, f64::INFINITY),
        Step::Whole | Step::Rest => fit_if_hard(context, inspection, &mut plan)?,
    }
    Ok(plan)
}

/// Fits the rates to pictures that are hard to compress.
fn fit_if_hard(context: &MediaContext<'_>, inspection: &Inspection, plan: &mut Plan) -> Result<(), MediaError> {
    match look(inspection, plan).measure(context) {
        Ok(demands) => fit(&mut plan.rungs, &demands),
        Err(error) if context.cancel.is_cancelled() => return Err(error),
        // The encode reads the same file. If the file is broken, the encode fails and says why.
        Err(error) => tracing::info!("the usual bit rates apply, because the pictures were not measured: {error}"),
    }
    Ok(())
}

/// The peaks must suffice for the hardest part of the video, but coarse pictures must not be seen in its easiest one.
fn fit(rungs: &mut [Rung], demands: &[Demand]) {
    raise(rungs, demands.iter().map(|demand| demand.kbps).fold(0.0, f64::max));
    if let Some(top) = rungs.first_mut() {
        let raises = demands.iter().map(|demand| factor_raise_tenths(demand, f64::from(top.max_kbps)));
        top.factor_raise_tenths = raises.min().unwrap_or(0);
    }
}

/// Returns the increase of the first rung's constant rate factor, in tenths, with which its pictures fit the peak. The
/// other rungs keep their factor: noise needs about a tenth of the bits at 720p that it needs at 1080p.
fn factor_raise_tenths(demand: &Demand, max_kbps: f64) -> u8 {
    let excess = (demand.kbps / max_kbps).log2();
    let gain = (demand.kbps / demand.coarse_kbps).log2();
    if demand.kbps > max_kbps * STARVING { tenths(f64::from(COARSER) * excess / gain) } else { 0 }
}

/// Returns the increase in tenths, rounded up. It is at most [`COARSER`], the largest that was measured.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the value is between 0 and 60")]
fn tenths(raise: f64) -> u8 {
    if raise.is_nan() { 0 } else { (raise.clamp(0.0, f64::from(COARSER)) * 10.0).ceil() as u8 }
}

/// Raises the peaks towards what the first rung would need. The smaller a rung, the less it is raised: viewers with
/// slower lines need the rates that they have. The rung for poor connections stays.
fn raise(rungs: &mut [Rung], demand_kbps: f64) {
    let Some(top) = rungs.first().copied() else {
        return;
    };
    let raise = (demand_kbps / f64::from(top.max_kbps.max(1))).clamp(1.0, MAX_RAISE);
    for rung in rungs.iter_mut() {
        rung.is_hard = raise > 1.0;
    }
    for rung in rungs.iter_mut().filter(|rung| !rung.is_low && raise.is_finite()) {
        let share = if rung.name == top.name { 1.0 } else { above_low(rung) / above_low(&top) };
        rung.max_kbps = super::ladder::round(f64::from(rung.max_kbps) * (1.0 + (raise - 1.0) * share));
    }
}

fn above_low(rung: &Rung) -> f64 {
    f64::from(rung.name.saturating_sub(LOW).max(1))
}

fn look(inspection: &Inspection, plan: &Plan) -> Look {
    let video = &inspection.video;
    let starts = starts(&video.keyframes, video.end);
    let places = u64::try_from(starts.len()).unwrap_or(1).max(1);
    Look {
        demuxer: plan.demuxer,
        stream: plan.video_stream,
        starts: starts.into_iter().map(|start| start + plan.lead_in_seconds).collect(),
        frames: (plan.frame_count / FRAMES_PER_LOOK / places).clamp(MIN_FRAMES, MAX_FRAMES),
        interlaced: plan.interlaced,
        rate: plan.rate,
        size: plan.rungs.first().map_or((2, 2), |rung| (rung.width, rung.height)),
    }
}

/// Returns the keyframes at which a look begins, without duplicates.
fn starts(keyframes: &[f64], end: f64) -> Vec<f64> {
    let before = |part: f64| keyframes.iter().copied().filter(|time| *time <= end * part).fold(0.0, f64::max);
    let mut starts: Vec<f64> = PARTS.into_iter().map(before).collect();
    starts.dedup();
    starts
}

#[cfg(test)]
mod tests {
    use super::super::ladder;
    use super::*;
    use crate::media::FrameRate;
    use proptest::prelude::*;

    fn rungs(width: u32, height: u32) -> Vec<Rung> {
        ladder::rungs(width, height, FrameRate::new(30, 1).unwrap())
    }

    fn rates(width: u32, height: u32, demand_kbps: f64) -> Vec<u32> {
        let mut rungs = rungs(width, height);
        fit(&mut rungs, &[demand(demand_kbps, demand_kbps)]);
        rungs.iter().map(|rung| rung.max_kbps).collect()
    }

    fn demand(kbps: f64, coarse_kbps: f64) -> Demand {
        Demand { kbps, coarse_kbps }
    }

    /// Returns how much the factors of a 1080p video's rungs are raised.
    fn factor_raises(demands: &[Demand]) -> Vec<u8> {
        let mut rungs = rungs(1920, 1080);
        fit(&mut rungs, demands);
        rungs.iter().map(|rung| rung.factor_raise_tenths).collect()
    }

    proptest! {
        #[test]
        fn only_the_first_factor_is_raised_and_only_to_what_was_measured(
            demands in prop::collection::vec((prop::num::f64::ANY, prop::num::f64::ANY), 0..4),
        ) {
            let demands: Vec<_> = demands.into_iter().map(|(kbps, coarse)| demand(kbps, coarse)).collect();
            let raises = factor_raises(&demands);
            prop_assert!(raises[0] <= COARSER * 10 && raises[1..].iter().all(|raise| *raise == 0), "{raises:?}");
        }

        #[test]
        fn a_video_with_an_easy_part_keeps_its_quality(
            kbps in 0.0..24_000.0_f64,
            saved in 0.0..1.0_f64,
            hard in prop::collection::vec((0.0..100_000.0_f64, 0.0..1.0_f64), 0..3),
        ) {
            let parts = hard.into_iter().chain([(kbps, saved)]);
            let demands: Vec<_> = parts.map(|(kbps, saved)| demand(kbps, kbps * saved)).collect();
            prop_assert_eq!(factor_raises(&demands)[0], 0);
        }

        #[test]
        fn harder_pictures_never_get_a_lower_factor(
            kbps in 1.0..100_000.0_f64,
            more in 1.0..10.0_f64,
            saved in 0.01..1.0_f64,
        ) {
            let [easy, hard] = [kbps, kbps * more].map(|kbps| factor_raises(&[demand(kbps, kbps * saved)])[0]);
            prop_assert!(easy <= hard, "{easy} {hard}");
        }

        #[test]
        fn rates_are_never_lowered_and_never_raised_beyond_the_limit(
            width in 2_u32..8192,
            height in 2_u32..8192,
            demand in prop::num::f64::ANY,
        ) {
            for (rung, rate) in rungs(width, height).iter().zip(rates(width, height, demand)) {
                prop_assert!(rate >= rung.max_kbps, "{rung:?} {rate}");
                prop_assert!(f64::from(rate) <= f64::from(rung.max_kbps) * MAX_RAISE + 1.0, "{rung:?} {rate}");
            }
        }

        #[test]
        fn harder_pictures_never_get_lower_rates(
            width in 2_u32..8192,
            height in 2_u32..8192,
            one in 0.0..100_000.0_f64,
            other in 0.0..100_000.0_f64,
        ) {
            let (easy, hard) = (rates(width, height, one.min(other)), rates(width, height, one.max(other)));
            prop_assert!(easy.iter().zip(&hard).all(|(easy, hard)| easy <= hard), "{easy:?} {hard:?}");
        }

        #[test]
        fn rates_still_shrink_and_poor_connections_keep_theirs(
            width in 2_u32..8192,
            height in 2_u32..8192,
            demand in 0.0..100_000.0_f64,
        ) {
            let rates = rates(width, height, demand);
            prop_assert!(rates.is_sorted_by(|one, next| one > next), "{rates:?}");
            for (rung, rate) in rungs(width, height).iter().zip(rates).filter(|(rung, _)| rung.is_low) {
                prop_assert_eq!(rung.max_kbps, rate);
            }
        }

        #[test]
        fn a_look_begins_at_one_to_three_places_within_the_video(
            keyframes in prop::collection::vec(-1.0..120.0_f64, 0..50),
            end in 0.0..120.0_f64,
        ) {
            let starts = starts(&keyframes, end);
            prop_assert!((1..=3).contains(&starts.len()));
            prop_assert!(starts.iter().all(|start| (0.0..=end).contains(start)), "{starts:?}");
        }
    }

    #[test]
    fn the_first_rungs_are_raised_most() {
        assert_eq!(rates(1920, 1080, 1000.0), [5000, 2544, 1294, 801, 130]);
        assert_eq!(rates(1920, 1080, 6000.0), [6000, 2835, 1368, 824, 130]);
        assert_eq!(rates(1920, 1080, 90_000.0), [8000, 3416, 1516, 870, 130]);
    }

    #[test]
    fn the_rungs_of_a_video_are_hard_if_the_first_needs_more_than_its_usual_peak() {
        for (kbps, is_hard) in [(0.0, false), (5000.0, false), (5001.0, true), (90_000.0, true), (f64::NAN, false)] {
            let mut rungs = rungs(1920, 1080);
            fit(&mut rungs, &[demand(kbps, kbps / 2.0)]);
            assert!(rungs.iter().all(|rung| rung.is_hard == is_hard), "{kbps}");
        }
    }

    #[test]
    fn a_factor_is_raised_until_the_peak_suffices() {
        let raise = |kbps, coarse_kbps| factor_raises(&[demand(kbps, coarse_kbps)])[0];
        // A film, and the grain of the benchmark.
        assert_eq!(raise(7_000.0, 2_900.0), 0);
        assert_eq!(raise(33_800.0, 1_760.0), 30);
        assert_eq!(raise(32_000.0, 8_000.0), 60);
        assert_eq!(raise(90_000.0, 40_000.0), 60);
        assert_eq!(factor_raises(&[demand(33_800.0, 1_760.0), demand(4_000.0, 1_500.0)])[0], 0);
    }

    #[test]
    fn a_measurement_that_is_no_number_changes_nothing() {
        for demand in [f64::NAN, f64::NEG_INFINITY, -1.0, 0.0] {
            assert_eq!(rates(1920, 1080, demand), rates(1920, 1080, 5000.0), "{demand}");
        }
    }
}
