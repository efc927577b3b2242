//! The optional parts of ffmpeg that an encode uses. Not every build has them.

/// The encoders of the outputs.
pub const ENCODERS: [&str; 5] = ["libx264", "aac", "mjpeg", "libwebp_anim", "text"];

/// Every filter that a graph or a measurement can contain.
pub const FILTERS: [&str; 30] = [
    "aformat",
    "alimiter",
    "ametadata",
    "anull",
    "anullsink",
    "apad",
    "aresample",
    "asplit",
    "atrim",
    "blackdetect",
    "bwdif",
    "ebur128",
    "format",
    "fps",
    "freezedetect",
    "metadata",
    "nullsink",
    "premultiply",
    "scale",
    "select",
    "setpts",
    "setsar",
    "silencedetect",
    "split",
    "tile",
    "tonemap",
    "tpad",
    "trim",
    "volume",
    "zscale",
];

/// Returns the required names that are absent from ffmpeg's list (`-encoders` or `-filters`). Each line of the list
/// consists of flags, a name and a description.
pub fn missing<'a>(required: &[&'a str], listed: &str) -> Vec<&'a str> {
    let names: Vec<_> = listed.lines().filter_map(|line| line.split_whitespace().nth(1)).collect();
    let is_missing = |name: &&&str| !names.contains(*name);
    required.iter().filter(is_missing).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::super::argv;
    use super::*;
    use crate::media::plan::sound::examples::copied_sound;
    use crate::media::plan::{Plan, SoundPlan, SoundTreatment, ThumbnailChoice};
    use crate::media::source::Gain;
    use crate::media::source::examples::plain_inspection;
    use std::path::Path;

    /// The arguments of typical jobs, recorded by `tests/media/arguments.rs`: one argument per line, a graph on
    /// several.
    const RECORDED: [&str; 2] =
        [include_str!("../../../tests/media/encode.argv"), include_str!("../../../tests/media/copy.argv")];

    /// Returns the arguments of a job with all the features that are missing from the recorded jobs: high dynamic
    /// range, interlacing, a video that ends before its sound, and sound that ends before the video.
    fn unusual_job() -> String {
        let mut inspection = plain_inspection();
        inspection.video.transfer = "smpte2084".into();
        inspection.video.interlaced = true;
        let treatment = SoundTreatment::Encode(Gain { db: 1.0, limited: false });
        let sound = SoundPlan { treatment, padded_seconds: Some(10.0), ..copied_sound() };
        let mut plan = Plan::new(&inspection, Some(sound), &ThumbnailChoice::Best);
        plan.repeated_frames = 30;
        let words = argv(&plan, Path::new("/private/source"), 2);
        let words: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
        words.join("\n")
    }

    /// Returns the filter graphs among the arguments.
    fn graphs(arguments: &str) -> String {
        let mut graphs = String::new();
        let mut is_graph = false;
        for line in arguments.lines() {
            if is_graph && !line.starts_with('-') {
                graphs = format!("{graphs}{};", line.trim_end_matches(';'));
            } else {
                is_graph = line == "-filter_complex";
            }
        }
        graphs
    }

    /// Returns the names of the filters. In each link of a chain, the name comes first or follows the inputs.
    fn names(graph: &str) -> Vec<String> {
        let graph = graph.replace("\\,", "").replace(';', ",");
        let name = |link: &str| {
            let mut rest = link.trim();
            while let Some(inside) = rest.strip_prefix('[') {
                rest = inside.split_once(']').map_or("", |(_, after)| after);
            }
            let end = rest.find(['=', '[']).unwrap_or(rest.len());
            rest.get(..end).unwrap_or_default().to_owned()
        };
        let links = graph.split(',').filter(|link| !link.is_empty());
        links.map(name).collect()
    }

    #[test]
    fn every_filter_in_every_graph_is_listed_as_required() {
        let mut seen = Vec::new();
        for arguments in RECORDED.map(str::to_owned).into_iter().chain([unusual_job()]) {
            let graph = graphs(&arguments);
            for name in names(&graph) {
                assert!(FILTERS.contains(&name.as_str()), "{name} in {graph}");
                seen.push(name);
            }
        }
        for name in ["scale", "alimiter", "tonemap", "bwdif", "silencedetect", "tpad", "apad"] {
            assert!(seen.iter().any(|seen| seen == name), "{name}");
        }
    }

    #[test]
    fn names_absent_from_ffmpeg_s_list_are_reported() {
        let listed = "Filters:\n .S. = Slice threading\n ... scale             V->V       Scale.\n \
                      T.C volume            A->A       Change zscale.\n";
        assert_eq!(missing(&["scale", "zscale", "volume"], listed), ["zscale"]);
    }
}
