//! The filter graph: the source is decoded once, made even and upright once, and then shared out.
//!
//! A plan in, one string out. Each rung is scaled from the one above it, and all small pictures come from the smallest
//! rung, so that only one filter ever sees a picture of the source's size.

use super::files;
use super::ladder::fit;
use super::plan::{Colour, Plan};
use super::sound::{Sound, Treatment, standard};
use super::stills::Stills;

/// Detectors look at small pictures: what they look for is as large as the screen.
const DETECTOR_SIDE: u32 = 320;

/// Readers of JPEG and WebP take their colours for BT.601, whatever the video has.
const JPEG_COLOURS: &str =
    "in_color_matrix=bt709:in_range=limited:out_color_matrix=bt601:out_range=full,format=yuvj420p";
const WEBP_COLOURS: &str = "in_color_matrix=bt709:in_range=limited:out_color_matrix=bt601:out_range=limited,format=yuv420p";

/// Pictures a second in the preview; more cost bytes in a list of many.
const PREVIEW_RATE: f64 = 10.0;

/// The graph of the picture. Its open ends are `[v0]`, `[v1]`… (without `[v0]` when that is copied), `[candidates]`,
/// `[samples]`, `[storyboard]` and `[preview]`.
pub(super) fn pictures(plan: &Plan) -> String {
    let mut chains = Vec::new();
    let last = plan.rungs.len().saturating_sub(1);
    for (index, rung) in plan.rungs.iter().enumerate() {
        let step = if index == 0 {
            format!(
                "[0:{}]{}",
                plan.stream,
                prepare(plan, rung.width, rung.height)
            )
        } else {
            format!(
                "[down{index}]scale={}:{}:flags=bicubic,setsar=1",
                rung.width, rung.height
            )
        };
        let mut takers = Vec::new();
        if index > 0 || !plan.copy_video {
            takers.push(format!("[v{index}]"));
        }
        if index == 0 && !plan.stills.poster.is_empty() {
            takers.push("[full]".to_owned());
        }
        takers.push(if index == last {
            "[small]".to_owned()
        } else {
            format!("[down{}]", index + 1)
        });
        chains.push(shared(step, &takers));
    }
    chains.extend(stills(plan));
    chains.join(";")
}

fn shared(step: String, takers: &[String]) -> String {
    match takers {
        [taker] => step + taker,
        takers => format!("{step},split={}{}", takers.len(), takers.concat()),
    }
}

/// From whatever the source is to the largest rung: progressive, constant rate, plain colours, square pixels.
/// The rate comes before all that costs: of a thousand frames a second, sixty are scaled.
fn prepare(plan: &Plan, width: u32, height: u32) -> String {
    let deinterlace = if plan.interlaced {
        "bwdif=mode=send_frame:deint=interlaced,"
    } else {
        ""
    };
    let repeat = if plan.repeated > 0 {
        format!(",tpad=stop_mode=clone:stop={}", plan.repeated)
    } else {
        String::new()
    };
    let scale = scale(&plan.colour, width, height);
    format!(
        "{deinterlace}fps=fps={}:start_time=0,{scale},format=yuv420p,setsar=1{repeat}",
        plan.rate
    )
}

fn scale(colour: &Colour, width: u32, height: u32) -> String {
    let range = if colour.full_range { "full" } else { "limited" };
    if let Some(transfer) = colour.high_dynamic_range {
        // Shrunk first, because the curve is computed in floating point. 100 nits is what a plain screen shows.
        return format!(
            "scale={width}:{height}:flags=bicubic,\
             zscale=matrixin=2020_ncl:primariesin=2020:transferin={transfer}:rangein={range}:transfer=linear:npl=100,\
             format=gbrpf32le,zscale=primaries=709,tonemap=tonemap=hable:desat=0,\
             zscale=transfer=709:matrix=709:range=limited"
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
        "[small]split=4[detect][sample][cell][moving]".to_owned(),
        detectors(plan),
        samples(stills),
        storyboard(stills),
        preview(plan),
    ];
    if !stills.poster.is_empty() {
        let frames: Vec<_> = stills
            .poster
            .iter()
            .map(|frame| format!("eq(n\\,{frame})"))
            .collect();
        chains.push(format!(
            "[full]select={},scale={JPEG_COLOURS}[candidates]",
            frames.join("+")
        ));
    }
    chains
}

/// What moderation wants to know, written to a file of its own: the log would also contain the source's titles. Frames
/// have titles as well, line breaks included, so these go before a detector adds what it saw.
fn detectors(plan: &Plan) -> String {
    let (width, height) = plan.rungs.last().map_or((2, 2), |rung| {
        fit(rung.width, rung.height, DETECTOR_SIDE, DETECTOR_SIDE)
    });
    format!(
        "[detect]metadata=mode=delete,scale={width}:{height}:flags=fast_bilinear,blackdetect=d=0.5:pix_th=0.10,freezedetect=n=-60dB:d=2,\
         photosensitivity=bypass=1,metadata=mode=print:file={},nullsink",
        files::VIDEO_FINDINGS
    )
}

fn samples(stills: &Stills) -> String {
    let (width, height) = stills.sample_size;
    format!(
        "[sample]select=not(mod(n\\,{})),scale={width}:{height}:{JPEG_COLOURS}[samples]",
        stills.sample_every
    )
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
    let thinned = if plan.rate.per_second() > PREVIEW_RATE {
        format!("fps={PREVIEW_RATE},")
    } else {
        String::new()
    };
    format!(
        "[moving]trim=start_frame={start}:end_frame={end},setpts=PTS-STARTPTS,{thinned}scale={width}:{height}:{WEBP_COLOURS}[preview]"
    )
}

/// The graph of the sound, with the open end `[a]` when it is encoded. It is one of its own, because ffmpeg begins a graph
/// anew where the sound changes from mono to stereo, and in the picture's all numbers of frames would begin anew too.
///
/// Silence is looked for before the level changes: what was silent stays so.
pub(super) fn sound(sound: &Sound) -> String {
    let listened = format!(
        "[0:{}]{},ametadata=mode=delete,silencedetect=noise=-50dB:d=1,ametadata=mode=print:file={}",
        sound.stream,
        standard(sound.late),
        files::AUDIO_FINDINGS
    );
    match &sound.treatment {
        Treatment::Copy => format!("{listened},anullsink"),
        Treatment::Encode(correction) => format!("{listened},{}[a]", correction.filters()),
    }
}
