//! ffmpeg's filter graph: the source is decoded once, normalised once, and then split among the outputs.
//!
//! Turns a plan into one string. The largest rung that is made is scaled from the source, and each other one from the
//! next larger. All small pictures come from the smallest rung but the one for poor connections.

use crate::media::files;
use crate::media::plan::{Colour, Plan, Rung, SoundPlan, SoundTreatment, Stills, fit};
use crate::media::source::{Gain, SAMPLE_RATE, standard_sound};
use std::iter;
use std::ops::Range;

/// Detectors examine small frames, because what they detect fills the whole screen.
const DETECTOR_SIDE: u32 = 320;

/// The size of the frames in which flashes are found. An average over a cell leaves out patterns that are too fine to
/// matter.
const FLASH_SIDE: u32 = 48;

/// Decoders of JPEG and WebP assume BT.601 colours, whatever the video uses.
pub(super) const JPEG_COLOURS: &str =
    "in_color_matrix=bt709:in_range=limited:out_color_matrix=bt601:out_range=full,format=yuvj420p";
const WEBP_COLOURS: &str =
    "in_color_matrix=bt709:in_range=limited:out_color_matrix=bt601:out_range=limited,format=yuv420p";

/// The end of a conversion from wide colours. What BT.709 cannot show is cut off in RGB, where red stays red. In YUV it
/// would be the chroma that is cut off, and saturated colours would be darker. Ten bits, so that gradients stay smooth.
const CLIP: &str = "range=full,format=gbrp10le,zscale=matrix=709:range=limited";

/// The scaler of everything that is watched.
const SCALER: &str = "bicubic";

/// Frames per second in the preview. More would make a list of many videos slow to load.
const PREVIEW_RATE: f64 = 10.0;

/// Returns the graph of the video. Its outputs are `[v0]`, `[v1]`… of the rungs in `outputs`, and with the evidence
/// `[candidates]`, `[samples]`, `[storyboard]` and `[preview]`.
///
/// Makes only the rungs that are wanted, so a step that makes small ones never scales to the larger ones.
pub(super) fn video_graph(plan: &Plan, outputs: Range<usize>) -> String {
    let of_pictures = plan.picture_rung().filter(|_| plan.makes_evidence()).map(|(index, _)| index);
    let made: Vec<usize> =
        (0..plan.rungs.len()).filter(|index| outputs.contains(index) || of_pictures == Some(*index)).collect();
    // What nobody watches need not be as sharp, and this takes half the time.
    let scaler = if plan.keeps_small_pictures() && outputs.is_empty() { "area" } else { SCALER };
    let rungs = made.iter().zip(made.iter().skip(1).map(Some).chain([None])).map(|(index, next)| {
        let output = outputs.contains(index).then(|| format!("[v{index}]"));
        let small = (of_pictures == Some(*index)).then(|| "[small]".to_owned());
        let kept = (of_pictures == Some(*index) && plan.keeps_small_pictures()).then(|| "[kept]".to_owned());
        let next = next.map(|next| format!("[down{next}]"));
        let labels: Vec<_> = output.into_iter().chain(small).chain(kept).chain(next).collect();
        let is_first = made.first() == Some(index);
        let rung = &plan.rungs[*index];
        let scale =
            if is_first { format!("[all]{}", normalise(&plan.colour, rung, scaler)) } else { scaling(*index, rung) };
        split(scale, &labels)
    });
    let stills = if plan.makes_evidence() { stills(plan) } else { Vec::new() };
    iter::once(source(plan)).chain(rungs).chain(stills).collect::<Vec<_>>().join(";")
}

/// Returns the beginning of the graph: the pictures at a constant rate, still in the size and colours of the source.
/// `[full]` goes to the poster's candidates.
///
/// Writes the time of each decoded picture to a file, before the rate is made constant by repeating pictures. Only
/// frames with metadata are written, so their own is replaced.
fn source(plan: &Plan) -> String {
    let times = format!(
        "metadata=mode=delete,metadata=mode=add:key=decoded:value=1,metadata=mode=print:file={}",
        files::DECODED_TIMES
    );
    let has_candidates = plan.makes_evidence() && !plan.stills.poster.is_empty();
    let labels = if has_candidates { ",split[all][full]" } else { "[all]" };
    format!("[0:{}]{times},{}{labels}", plan.video_stream, constant_rate(plan))
}

/// Returns the filters that make a rung from the source, if nothing else is made of it.
pub(super) fn directly_scaled(plan: &Plan, rung: &Rung) -> String {
    format!("[0:{}]{},{}", plan.video_stream, constant_rate(plan), normalise(&plan.colour, rung, SCALER))
}

/// Returns the filters that make a rung from the next larger one that is made.
pub(super) fn scaling(index: usize, rung: &Rung) -> String {
    let Rung { width, height, .. } = *rung;
    format!("[down{index}]scale={width}:{height}:flags={SCALER},setsar=1")
}

pub(super) fn split(step: String, labels: &[String]) -> String {
    match labels {
        [label] => step + label,
        labels => format!("{step},split={}{}", labels.len(), labels.concat()),
    }
}

/// The rate comes before the expensive filters: of a thousand frames per second, only sixty are scaled.
fn constant_rate(plan: &Plan) -> String {
    let deinterlace = if plan.interlaced { "bwdif=mode=send_field:deint=interlaced," } else { "" };
    let repeat = if plan.repeated_frames > 0 {
        format!(",tpad=stop_mode=clone:stop={}", plan.repeated_frames)
    } else {
        String::new()
    };
    format!("{deinterlace}fps=fps={}:start_time=0{repeat}", plan.rate)
}

/// Turns frames of the source into those of a rung: BT.709 colours, square pixels.
fn normalise(colour: &Colour, rung: &Rung, scaler: &str) -> String {
    // On black, which is what a player without alpha shows.
    let flatten = if colour.has_alpha { "format=gbrap,premultiply=inplace=1,format=gbrp," } else { "" };
    let resize = format!("scale={}:{}:flags={scaler}", rung.width, rung.height);
    format!("{flatten}{},format=yuv420p,setsar=1", with_ordinary_colours(colour, &resize))
}

/// Adds the conversion to BT.709 to the filter that scales.
fn with_ordinary_colours(colour: &Colour, resize: &str) -> String {
    let range = if colour.full_range { "full" } else { "limited" };
    if let Some(transfer) = colour.hdr_transfer {
        // Scales first, because tone mapping computes in floating point. White paper, at 203 nits by ITU-R BT.2408,
        // becomes the white of an ordinary screen. What is brighter, up to 1000 nits, shares the little that is left.
        // zimg applies HLG's system gamma to each channel if it may approximate, and to luminance, as BT.2100 defines
        // it, if it may not. PQ has no system gamma, and approximating it is faster.
        let approximate = transfer != "arib-std-b67";
        return format!(
            "{resize},\
             zscale=matrixin=2020_ncl:primariesin=2020:transferin={transfer}:rangein={range}:primaries=2020:\
             transfer=linear:npl=203:agamma={approximate},\
             format=gbrpf32le,zscale=primaries=709,tonemap=tonemap=mobius:param=0.9:peak=4.93:desat=0,\
             zscale=transfer=709:{CLIP}"
        );
    }
    if let Some(primaries) = colour.wide_primaries {
        let matrix = if colour.matrix == "bt2020nc" { "2020_ncl" } else { "709" };
        let transfer = if colour.has_srgb_curve { "iec61966-2-1" } else { "709" };
        return format!(
            "{resize},\
             zscale=matrixin={matrix}:primariesin={primaries}:transferin={transfer}:rangein={range}:\
             primaries=709:transfer=709:matrix=gbr:{CLIP}"
        );
    }
    let matrix = match colour.matrix.as_str() {
        "bt470bg" => "bt470",
        "bt2020nc" => "bt2020",
        other => other,
    };
    format!(
        "{resize}:in_color_matrix={matrix}:in_range={range}:\
         out_color_matrix=bt709:out_range=limited"
    )
}

fn stills(plan: &Plan) -> Vec<String> {
    let stills = &plan.stills;
    let mut chains = vec![
        "[small]split=5[detect][flash][sample][cell][moving]".to_owned(),
        detectors(plan),
        flash_frames(plan),
        samples(stills),
        storyboard(stills),
        preview(plan),
    ];
    if !stills.poster.is_empty() {
        chains.push(candidates(plan));
    }
    chains
}

/// Selects the poster's candidates before they are scaled, because they are few.
fn candidates(plan: &Plan) -> String {
    let scale = plan.rungs.first().map(|rung| normalise(&plan.colour, rung, SCALER)).unwrap_or_default();
    format!("[full]select={},{scale},scale={JPEG_COLOURS}[candidates]", is_any_of(&plan.stills.poster))
}

/// Writes what moderation needs to a separate file, because the log also contains the source's titles. Frames carry
/// titles too, possibly with line breaks, so their metadata is deleted before a detector adds its own.
fn detectors(plan: &Plan) -> String {
    let (width, height) =
        plan.picture_rung().map_or((2, 2), |(_, rung)| fit(rung.width, rung.height, DETECTOR_SIDE, DETECTOR_SIDE));
    format!(
        "[detect]metadata=mode=delete,scale={width}:{height}:flags=fast_bilinear,blackdetect=d=0.5:pix_th=0.10,freezedetect=n=-60dB:d=2,metadata=mode=print:file={},nullsink",
        files::VIDEO_OBSERVATIONS
    )
}

fn flash_frames(plan: &Plan) -> String {
    let (width, height) = flash_size(plan);
    format!("[flash]scale={width}:{height}:flags=area:in_color_matrix=bt709:in_range=limited,format=rgb24[flashes]")
}

/// Returns the size of the frames in which flashes are found.
pub(super) fn flash_size(plan: &Plan) -> (u32, u32) {
    plan.picture_rung().map_or((2, 2), |(_, rung)| fit(rung.width, rung.height, FLASH_SIDE, FLASH_SIDE))
}

fn samples(stills: &Stills) -> String {
    let regular = format!("not(mod(n\\,{}))", stills.sample_every);
    let secret = stills.secret_samples.iter().map(|number| format!("+eq(n\\,{number})"));
    format!("[sample]select={regular}{},{}[samples]", secret.collect::<String>(), sample_scale(stills))
}

fn sample_scale(stills: &Stills) -> String {
    let (width, height) = stills.sample_size;
    format!("scale={width}:{height}:{JPEG_COLOURS}")
}

/// Returns the graph that selects additional frames from a file with the frames of the graph above.
pub(super) fn extraction_graph(plan: &Plan, numbers: &[u64]) -> String {
    format!("[0:v:0]select={},{}[distinct]", is_any_of(numbers), sample_scale(&plan.stills))
}

/// Returns the ffmpeg expression that selects the frames with these numbers. The sum is nested in halves, because
/// ffmpeg rejects a flat sum of more than about a hundred terms.
fn is_any_of(numbers: &[u64]) -> String {
    match numbers {
        [] => "0".to_owned(),
        [number] => format!("eq(n\\,{number})"),
        _ => {
            let (left, right) = numbers.split_at(numbers.len() / 2);
            format!("({}+{})", is_any_of(left), is_any_of(right))
        }
    }
}

fn storyboard(stills: &Stills) -> String {
    let board = &stills.storyboard;
    format!(
        "[cell]select=not(mod(n\\,{})),scale={}:{}:{JPEG_COLOURS},tile={}x{}[storyboard]",
        board.every, board.width, board.height, board.columns, board.rows
    )
}

fn preview(plan: &Plan) -> String {
    let (start, end) = plan.stills.preview;
    let (width, height) = plan.stills.preview_size;
    let drop_frames =
        if plan.rate.per_second() > PREVIEW_RATE { format!("fps={PREVIEW_RATE},") } else { String::new() };
    format!(
        "[moving]trim=start_frame={start}:end_frame={end},setpts=PTS-STARTPTS,{drop_frames}scale={width}:{height}:{WEBP_COLOURS}[preview]"
    )
}

/// Returns the graph of the sound that this step needs. Its outputs are `[a]`, if the usual sound is encoded, and
/// `[low]`, the sound for poor connections. It is separate from the video's graph, because ffmpeg restarts a graph when
/// the sound changes from mono to stereo, which would also restart the frame numbers.
pub(super) fn sound_graph(plan: &Plan) -> Option<String> {
    let sound = plan.sound.as_ref()?;
    let level = match &sound.treatment {
        SoundTreatment::Copy => None,
        SoundTreatment::Encode(gain) => Some(level(sound, *gain)),
    };
    let usual = (level.is_some() && plan.makes_progressive()).then_some("[a]");
    let low = plan.makes_low_sound().then_some("[low]");
    let outputs = match (usual, low) {
        (Some(usual), Some(low)) => format!(",asplit{usual}{low}"),
        (usual, low) => usual.or(low).unwrap_or_default().to_owned(),
    };
    let detectors = if plan.makes_evidence() { sound_detectors() } else { String::new() };
    let source = format!("[0:{}]{}", sound.stream, standard_sound(sound.alignment));
    match (level, outputs.is_empty(), detectors.is_empty()) {
        (_, true, true) => None,
        (_, true, false) => Some(format!("{source}{detectors}")),
        (None, false, true) => Some(format!("{source}{outputs}")),
        (None, false, false) => Some(format!("{source},asplit{outputs}{detectors}")),
        (Some(level), false, true) => Some(format!("{source},{level}{outputs}")),
        (Some(level), false, false) => Some(format!("{source},asplit[level]{detectors};[level]{level}{outputs}")),
    }
}

/// Returns the filters that bring the sound to its level and its length. A decoder returns whole frames, also of a
/// packet of which only the beginning is to be played.
fn level(sound: &SoundPlan, gain: Gain) -> String {
    format!("atrim=end={:.6},{}{}", sound.seconds, gain.filters(), silence_after(sound))
}

/// Returns the filter that adds silence after the sound, with a comma before it, or nothing.
fn silence_after(sound: &SoundPlan) -> String {
    let samples = sound.padded_seconds.map(|seconds| seconds * f64::from(SAMPLE_RATE));
    samples.map(|samples| format!(",apad=whole_len={samples:.0}")).unwrap_or_default()
}

/// Returns the last link of a chain: silence and loudness are measured before the level changes, because a gain must
/// not hide the one and a limiter the other. Loudness is momentary, every tenth of a second.
fn sound_detectors() -> String {
    format!(
        "[heard];[heard]ametadata=mode=delete,silencedetect=noise=-50dB:d=1,ebur128=metadata=1:framelog=verbose,ametadata=mode=print:file={},anullsink",
        files::AUDIO_OBSERVATIONS
    )
}
