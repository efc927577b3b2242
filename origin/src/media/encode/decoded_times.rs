//! Rejects a file of which a decoded picture stays on screen for much longer than its packets say.
//!
//! Such a file lists pictures that its decoder does not return, and plays as a frozen picture. Slideshows, screen
//! recordings and a still picture below a song have as few packets as pictures, so they are accepted.

use super::detectors::read_if_present;
use crate::media::MediaError;
use crate::media::files::DECODED_TIMES;
use crate::media::limits::MAX_FROZEN_SECONDS;
use crate::media::plan::Plan;
use std::path::Path;

/// Checks the times that ffmpeg wrote.
pub(super) fn check(plan: &Plan, folder: &Path) -> Result<(), MediaError> {
    let written = read_if_present(&folder.join(DECODED_TIMES))?;
    check_gaps(decoded_times(&written), plan.longest_picture_seconds)
}

/// Returns the times in the order of the file.
fn decoded_times(written: &str) -> Vec<f64> {
    let times = written.lines().filter_map(|line| line.split_once("pts_time:")?.1.trim().parse().ok());
    times.filter(|time: &f64| time.is_finite()).collect()
}

fn check_gaps(mut times: Vec<f64>, longest_by_packets: f64) -> Result<(), MediaError> {
    times.sort_by(f64::total_cmp);
    let pairs = times.iter().zip(times.iter().skip(1));
    let Some((start, end)) = pairs.max_by(|one, other| (one.1 - one.0).total_cmp(&(other.1 - other.0))) else {
        return Ok(());
    };
    if end - start <= longest_by_packets + MAX_FROZEN_SECONDS {
        return Ok(());
    }
    Err(MediaError::invalid_format(format!("no picture between {start:.3} s and {end:.3} s can be decoded")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accepts(times: &[f64], longest_by_packets: f64) -> bool {
        check_gaps(times.to_vec(), longest_by_packets).is_ok()
    }

    #[test]
    fn the_times_of_all_pictures_are_read() {
        let written = "frame:0    pts:0       pts_time:0\ndecoded=1\nframe:1    pts:512     pts_time:0.04\n\
            decoded=1\nframe:2 pts:NOPTS pts_time:NAN\ndecoded=1\n";
        assert_eq!(decoded_times(written), [0.0, 0.04]);
    }

    #[test]
    fn a_picture_that_stays_longer_than_the_packets_say_is_rejected() {
        assert!(!accepts(&[0.0, 0.04, 9.0], 0.04));
        assert!(!accepts(&[0.0, 11.1, 5.0, 0.5], 5.0));
    }

    #[test]
    fn slideshows_and_short_damage_are_accepted() {
        assert!(accepts(&[0.0, 10.0, 20.0], 10.0));
        assert!(accepts(&[0.0, 0.04, 1.0], 0.04));
        assert!(accepts(&[], 0.0) && accepts(&[5.0], 0.0));
    }
}
