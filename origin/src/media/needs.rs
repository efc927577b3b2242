//! What of ffmpeg the media work uses, and not every build of it has.

/// Without these there is nothing to do for ffmpeg.
pub const ENCODERS: [&str; 4] = ["libx264", "aac", "mjpeg", "libwebp_anim"];

/// Every filter that a graph or a measurement may name.
pub const FILTERS: [&str; 27] = [
    "aformat",
    "alimiter",
    "ametadata",
    "anull",
    "anullsink",
    "aresample",
    "blackdetect",
    "bwdif",
    "ebur128",
    "format",
    "fps",
    "freezedetect",
    "metadata",
    "nullsink",
    "photosensitivity",
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

/// Those that ffmpeg's own list (`-encoders`, `-filters`) lacks: each line of it is flags, a name, a description.
pub fn missing<'a>(wanted: &[&'a str], listed: &str) -> Vec<&'a str> {
    let names: Vec<_> = listed
        .lines()
        .filter_map(|line| line.split_whitespace().nth(1))
        .collect();
    let is_missing = |name: &&&str| !names.contains(*name);
    wanted.iter().filter(is_missing).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::super::argv::argv;
    use super::super::plan::tests::plain;
    use super::super::plan::{Thumbnail, plan};
    use super::*;
    use std::path::Path;

    /// The arguments of typical jobs, as `tests/media/arguments.rs` holds them: an argument a line, a graph over several.
    const RECORDED: [&str; 2] = [
        include_str!("../../tests/media/encode.argv"),
        include_str!("../../tests/media/copy.argv"),
    ];

    /// The arguments of a job that needs what the recorded ones do not: a bright, interlaced picture that its sound outlives.
    fn all_that_can_be() -> String {
        let mut inspection = plain();
        inspection.video.transfer = "smpte2084".into();
        inspection.video.interlaced = true;
        let mut plan = plan(&inspection, None, &Thumbnail::Best);
        plan.repeated = 30;
        let words = argv(&plan, Path::new("/private/source"), 2);
        let words: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
        words.join("\n")
    }

    /// The graphs among arguments.
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

    /// The names of the filters: each stands behind its inputs, at the beginning of a link of a chain.
    fn names(graph: &str) -> Vec<String> {
        let graph = graph.replace("\\,", "").replace(';', ",");
        let name = |link: &str| {
            let mut rest = link.trim();
            while let Some(inside) = rest.strip_prefix('[') {
                rest = inside.split_once(']').map_or("", |(_, behind)| behind);
            }
            let end = rest.find(['=', '[']).unwrap_or(rest.len());
            rest.get(..end).unwrap_or_default().to_owned()
        };
        let links = graph.split(',').filter(|link| !link.is_empty());
        links.map(name).collect()
    }

    #[test]
    fn every_filter_of_every_graph_is_among_those_that_are_asked_for() {
        let mut seen = Vec::new();
        for arguments in RECORDED
            .map(str::to_owned)
            .into_iter()
            .chain([all_that_can_be()])
        {
            let graph = graphs(&arguments);
            for name in names(&graph) {
                assert!(FILTERS.contains(&name.as_str()), "{name} in {graph}");
                seen.push(name);
            }
        }
        for name in [
            "scale",
            "alimiter",
            "tonemap",
            "bwdif",
            "silencedetect",
            "tpad",
        ] {
            assert!(seen.iter().any(|seen| seen == name), "{name}");
        }
    }

    #[test]
    fn what_a_list_of_ffmpeg_lacks_is_told() {
        let listed = "Filters:\n .S. = Slice threading\n ... scale             V->V       Scale.\n \
                      T.C volume            A->A       Change zscale.\n";
        assert_eq!(missing(&["scale", "zscale", "volume"], listed), ["zscale"]);
    }
}
