//! x264's options for one rung: how long it searches, how good the pictures are, and the most bits they may take.

use crate::media::Preset;
use crate::media::encoders::Encoder;
use crate::media::plan::Rung;

/// Returns the options in ffmpeg's syntax.
pub(super) fn options(encoder: Encoder, rung: &Rung) -> String {
    let (preset, factor, max) = (encoder.preset.as_str(), encoder.quality.factor(), rung.max_kbps);
    let (buffer, trellis) = (rung.buffer_kbits(), trellis(encoder.preset));
    format!("-preset {preset}{trellis} -crf {factor} -maxrate {max}k -bufsize {buffer}k")
}

/// The fastest presets leave out the search for the cheapest coefficients. It takes hardly any time, and at equal
/// quality (VMAF) the files are a seventh smaller (docs/media.md, Rates).
fn trellis(preset: Preset) -> &'static str {
    match preset {
        Preset::Superfast | Preset::Veryfast => " -trellis 1",
        Preset::Faster | Preset::Fast | Preset::Medium => "",
    }
}
