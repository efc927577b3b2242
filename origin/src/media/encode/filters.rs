//! ffmpeg's filter graph: the source is decoded once, normalised once, and then split among the outputs.
//!
//! Turns a plan into one string. Each rung is scaled from the one above it, and all small pictures come from the
//! smallest rung but the one for poor connections, so that only one filter ever processes frames of the source's size.

use crate::media::files;
use crate::media::plan::{Colour, Plan, Rung, SoundPlan, SoundTreatment, Stills, fit};
use crate::media::source::{SAMPLE_RATE, standard_sound};
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

/// Frames per second in the preview. More would make a list of many videos slow to load.
const PREVIEW_RATE: f64 = 10.0;

/// Returns the graph of the video. Its outputs are `[v0]`, `[v1]`… of the rungs in `outputs`, and with the evidence
/// `[candidates]`, `[samples]`, `[storyboard]` and `[preview]`.
pub(super) fn video_graph(plan: &Plan, outputs: Range<usize>) -> String {
    let last_of_pictures = plan.picture_rung().filter(|_| plan.makes_evidence()).map_or(0, |(index, _)| index);
    let count = outputs.end.max(last_of_pictures + 1);
    let rungs = (0..count).map(|index| rung(plan, index, outputs.contains(&index), index + 1 == count));
    let stills = if plan.makes_evidence() { stills(plan) } else { Vec::new() };
    rungs.chain(stills).collect::<Vec<_>>().join(";")
}

/// Scales one rung, and passes it on to its encoder, the poster's candidates (first rung only), the small pictures and
/// the next rung.
fn rung(plan: &Plan, index: usize, is_output: bool, is_last: bool) -> String {
    let mut labels = Vec::new();
    if is_output {
        labels.push(format!("[v{index}]"));
    }
    let makes_evidence = plan.makes_evidence();
    if index == 0 && makes_evidence && !plan.stills.poster.is_empty() {
        labels.push("[full]".to_owned());
    }
    if makes_evidence && plan.picture_rung().is_some_and(|(of_pictures, _)| of_pictures == index) {
        labels.push("[small]".to_owned());
    }
    if !is_last {
        labels.push(format!("[down{}]", index + 1));
    }
    let scaling = scaling(plan, index, &plan.rungs[index]);
    let scaling = if index == 0 { with_recorded_times(plan, &scaling) } else { scaling };
    split(scaling, &labels)
}

/// Writes the time of each decoded picture to a file, before the rate is made constant by repeating pictures. Only
/// frames with metadata are written, so their own is replaced.
fn with_recorded_times(plan: &Plan, scaling: &str) -> String {
    let source = format!("[0:{}]", plan.video_stream);
    let filters = scaling.strip_prefix(&source).unwrap_or(scaling);
    let file = files::DECODED_TIMES;
    format!(
        "{source}metadata=mode=delete,metadata=mode=add:key=decoded:value=1,metadata=mode=print:file={file},{filters}"
    )
}

/// Returns the filters that make a rung from the source, or from the rung above it.
pub(super) fn scaling(plan: &Plan, index: usize, rung: &Rung) -> String {
    let Rung { width, height, .. } = *rung;
    if index == 0 {
        format!("[0:{}]{}", plan.video_stream, normalise(plan, width, height))
    } else {
        format!("[down{index}]scale={width}:{height}:flags=bicubic,setsar=1")
    }
}

pub(super) fn split(step: String, labels: &[String]) -> String {
    match labels {
        [label] => step + label,
        labels => format!("{step},split={}{}", labels.len(), labels.concat()),
    }
}

/// Turns the source into the largest rung: progressive, constant rate, BT.709 colours, square pixels.
///
/// The rate comes before the expensive filters: of a thousand frames per second, only sixty are scaled.
fn normalise(plan: &Plan, width: u32, height: u32) -> String {
    let deinterlace = if plan.interlaced { "bwdif=mode=send_field:deint=interlaced," } else { "" };
    let repeat = if plan.repeated_frames > 0 {
        format!(",tpad=stop_mode=clone:stop={}", plan.repeated_frames)
    } else {
        String::new()
    };
    // On black, which is what a player without alpha shows.
    let flatten = if plan.colour.has_alpha { "format=gbrap,premultiply=inplace=1,format=gbrp," } else { "" };
    let scale = scale(&plan.colour, width, height);
    format!("{deinterlace}fps=fps={}:start_time=0,{flatten}{scale},format=yuv420p,setsar=1{repeat}", plan.rate)
}

fn scale(colour: &Colour, width: u32, height: u32) -> String {
    let range = if colour.full_range { "full" } else { "limited" };
    if let Some(transfer) = colour.hdr_transfer {
        // Scales first, because tone mapping computes in floating point. White paper, at 203 nits by ITU-R BT.2408,
        // becomes the white of an ordinary screen. What is brighter, up to 1000 nits, shares the little that is left.
        return format!(
            "scale={width}:{height}:flags=bicubic,\
             zscale=matrixin=2020_ncl:primariesin=2020:transferin={transfer}:rangein={range}:transfer=linear:npl=203,\
             format=gbrpf32le,zscale=primaries=709,tonemap=tonemap=mobius:param=0.9:peak=4.93:desat=0,\
             zscale=transfer=709:{CLIP}"
        );
    }
    if let Some(primaries) = colour.wide_primaries {
        let matrix = if colour.matrix == "bt2020nc" { "2020_ncl" } else { "709" };
        return format!(
            "scale={width}:{height}:flags=bicubic,\
             zscale=matrixin={matrix}:primariesin={primaries}:transferin=709:rangein={range}:\
             primaries=709:transfer=709:matrix=gbr:{CLIP}"
        );
    }
    let matrix = match colour.matrix.as_str() {
        "bt470bg" => "bt470",
        "bt2020nc" => "bt2020",
        other => other,
    };
    format!(
        "scale={width}:{height}:flags=bicubic:in_color_matrix={matrix}:in_range={range}:\
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
        let frames: Vec<_> = stills.poster.iter().map(|frame| format!("eq(n\\,{frame})")).collect();
        chains.push(format!("[full]select={},scale={JPEG_COLOURS}[candidates]", frames.join("+")));
    }
    chains
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

/// Returns the graph that selects additional frames from an encoded file, or from the source if that file is a copy of
/// it. It numbers frames in the same way as the encode's graph.
pub(super) fn extraction_graph(plan: &Plan, numbers: &[u64]) -> String {
    let begin = match (reads_source(plan), plan.rungs.first()) {
        (true, Some(rung)) => format!("[0:{}]{},", plan.video_stream, normalise(plan, rung.width, rung.height)),
        _ => "[0:v:0]".to_owned(),
    };
    format!("{begin}select={},{}[distinct]", is_any_of(numbers), sample_scale(&plan.stills))
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

/// Whether the rung of the small pictures is a copy of the source. The numbering of a copy's frames may differ from
/// that of the encode's graph, so frames are then selected from the source.
pub(super) fn reads_source(plan: &Plan) -> bool {
    plan.copy_video && plan.picture_rung().is_some_and(|(index, _)| index == 0)
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

/// Returns the graph of the sound. Its output is `[a]` if the sound is encoded. It is separate from the video's graph,
/// because ffmpeg restarts a graph when the sound changes from mono to stereo, which would also restart the frame
/// numbers.
///
/// Sound for poor connections is `[low]`.
pub(super) fn sound_graph(sound: &SoundPlan, has_low_sound: bool) -> String {
    let source = format!("[0:{}]{}", sound.stream, standard_sound(sound.alignment));
    let detectors = sound_detectors();
    match &sound.treatment {
        SoundTreatment::Copy if has_low_sound => format!("{source},asplit[low]{detectors}"),
        SoundTreatment::Copy => format!("{source}{detectors}"),
        SoundTreatment::Encode(gain) => {
            let outputs = if has_low_sound { ",asplit[a][low]" } else { "[a]" };
            let (end, silence) = (sound.seconds, silence_after(sound));
            // A decoder returns whole frames, also of a packet of which only the beginning is to be played.
            format!("{source},asplit[level]{detectors};[level]atrim=end={end:.6},{}{silence}{outputs}", gain.filters())
        }
    }
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
