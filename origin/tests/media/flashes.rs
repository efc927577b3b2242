//! Harmful flashes are found, and ordinary films are not held back.

use crate::clips::{Clip, H264};
use crate::processed_clip::processed;
use fixtures::cases;

fn flashes(picture: &str) -> Vec<f64> {
    let clip = Clip::new("source.mp4", &format!("-f lavfi -i {picture} {H264}"));
    let flashing = processed(&clip).report.observations.flashing;
    flashing.iter().map(|flashes| flashes.score).collect()
}

/// Returns a picture that is black, and white in `area` when `condition` holds.
fn strobe(area: &str, condition: &str) -> String {
    format!(
        "color=c=black:s=160x90:r=30:d=2.5,format=rgb24,drawbox=x=0:y=0:w={area}:h=ih:c=white:t=fill:enable='{condition}'"
    )
}

#[test]
fn more_than_three_flashes_a_second_over_a_quarter_of_the_picture_are_found() {
    let pictures = [
        strobe("iw*0.35", "lt(mod(n,2),1)"),
        strobe("iw", "lt(mod(n,6),3)").replace("white", "red"),
        strobe("iw", "lt(mod(n,6),3)"),
        strobe("iw", "lt(mod(n,7),3)"),
    ];
    for picture in pictures.iter().take(cases(2, 4)) {
        let scores = flashes(picture);
        assert!(scores.iter().any(|score| *score > 1.0), "{picture}: {scores:?}");
    }
}

#[test]
fn cuts_slide_shows_small_lights_and_moving_patterns_are_ordinary() {
    let pictures = [
        strobe("iw", "lt(mod(n,20),10)"),
        "testsrc2=s=160x90:r=30:d=2.5".to_owned(),
        strobe("iw", "gt(n,30)"),
        strobe("iw*0.15", "lt(mod(n,6),3)"),
        "mandelbrot=s=160x90:r=30,trim=duration=2.5".to_owned(),
        "testsrc=s=160x90:r=30:d=2.5,fade=out:0:30,fade=in:40:30".to_owned(),
    ];
    for picture in pictures.iter().take(cases(2, 6)) {
        assert_eq!(flashes(picture), [0.0; 0], "{picture}");
    }
}
