//! x264's options for one rung: how long it searches, how good the pictures are, and the most bits they may take.

use crate::media::encoders::Encoder;
use crate::media::encoders::Preset;
use crate::media::plan::Rung;

/// Returns the options in ffmpeg's syntax.
pub(super) fn options(encoder: Encoder, rung: &Rung) -> String {
    let (preset, trellis) = (encoder.preset.as_str(), trellis(encoder.preset));
    let lookahead = if rung.is_hard { LOOKAHEAD } else { "" };
    let (factor, max, buffer) = (factor(encoder, rung), rung.max_kbps, rung.buffer_kbits());
    format!("-preset {preset}{trellis}{lookahead} -crf {factor} -maxrate {max}k -bufsize {buffer}k")
}

/// Returns the constant rate factor of a rung.
pub(super) fn factor(encoder: Encoder, rung: &Rung) -> f64 {
    let tenths = u16::from(encoder.quality.factor()) * 10 + u16::from(rung.factor_raise_tenths);
    f64::from(tenths) / 10.0
}

/// The number of frames that the encoder sees before it decides how many bits one of them gets. The fast presets have
/// 10 or 20, and where the peak bounds the rate, they spend bits that later frames lack.
const LOOKAHEAD: &str = " -rc-lookahead 40";

/// The fastest presets leave out the search for the cheapest coefficients. It takes hardly any time, and at equal
/// quality (VMAF) the files are a seventh smaller (docs/media.md, Rates).
fn trellis(preset: Preset) -> &'static str {
    match preset {
        Preset::Superfast | Preset::Veryfast => " -trellis 1",
        Preset::Faster | Preset::Fast | Preset::Medium => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_that_are_too_hard_get_a_longer_lookahead_and_a_higher_factor() {
        let rung = Rung::new(1080, 1920, 1080, 5000);
        let easy = "-preset veryfast -trellis 1 -crf 23 -maxrate 5000k -bufsize 10000k";
        assert_eq!(options(Encoder::default(), &rung), easy);
        let hard = Rung { max_kbps: 8000, is_hard: true, factor_raise_tenths: 31, ..rung };
        let expected = "-preset veryfast -trellis 1 -rc-lookahead 40 -crf 26.1 -maxrate 8000k -bufsize 16000k";
        assert_eq!(options(Encoder::default(), &hard), expected);
    }
}
