//! The colours of the outputs: always BT.709, whatever colours the source uses.

use crate::clips::{Clip, moving};
use crate::processed_clip::{centre_colour, ffprobe, processed};
use std::path::Path;
use std::process::Command;

type Colour = [u8; 3];

/// The ten-bit Y, Cb and Cr of a patch in a limited range.
type Patch = [u16; 3];

/// The width and height of a patch, in pixels.
const PATCH: u32 = 64;

/// Light of BT.2020's primaries as BT.2100 encodes it in PQ and in HLG (a screen of 1000 nits, and its system gamma of
/// 1.2 on luminance), and the 8-bit BT.709 that is expected of it: tone-mapped by the largest channel, with BT.1886's
/// curve.
const LIGHT: [(Patch, Patch, Colour); 12] = [
    // Grey at 10, 100, 203 and 600 nits.
    ([327, 512, 512], [287, 512, 512], [73, 73, 73]),
    ([509, 512, 512], [616, 512, 512], [190, 190, 190]),
    ([573, 512, 512], [721, 512, 512], [250, 250, 250]),
    ([674, 512, 512], [871, 512, 512], [255, 255, 255]),
    // Red, green and blue, each with its largest channel at 20 and 120 nits.
    ([266, 474, 589], [224, 465, 627], [118, 0, 22]),
    ([385, 462, 609], [381, 423, 717], [248, 0, 46]),
    ([335, 454, 454], [308, 432, 425], [0, 102, 13]),
    ([473, 439, 440], [541, 363, 354], [0, 214, 28]),
    ([229, 592, 489], [180, 639, 486], [0, 37, 101]),
    ([338, 614, 480], [304, 728, 460], [0, 78, 214]),
    // Skin at 40 and 150 nits.
    ([385, 493, 532], [376, 476, 554], [130, 94, 81]),
    ([493, 491, 534], [584, 461, 560], [226, 163, 141]),
];

/// Colours in Display P3 with sRGB's transfer curve, and the 8-bit BT.709 colours that show the same light on a screen
/// with BT.1886's curve.
const DISPLAY_P3: [(Patch, Colour); 12] = [
    // Grey.
    ([152, 512, 512], [37, 37, 37]),
    ([283, 512, 512], [74, 74, 74]),
    ([502, 512, 512], [134, 134, 134]),
    ([765, 512, 512], [207, 207, 207]),
    // Dark and bright red, green and blue.
    ([165, 466, 674], [119, 0, 0]),
    ([291, 409, 877], [251, 0, 0]),
    ([328, 386, 374], [0, 112, 0]),
    ([659, 228, 203], [0, 235, 0]),
    ([118, 675, 488], [15, 23, 114]),
    ([186, 879, 459], [21, 35, 240]),
    // Skin.
    ([306, 463, 582], [116, 72, 52]),
    ([548, 414, 653], [219, 130, 90]),
];

/// Makes a video of these patches with these colour tags, processes it, and returns the colour of each patch in the
/// output.
fn shown(patches: &[Patch], tags: &str) -> Vec<Colour> {
    let sample = |channel: usize, width: u32| {
        let nested = patches.iter().enumerate().rev().fold("0".to_owned(), |rest, (index, patch)| {
            format!("if(lt(X,{}),{},{rest})", (index + 1) * width as usize, patch[channel])
        });
        format!("'{nested}'")
    };
    let count = u32::try_from(patches.len()).unwrap();
    let picture = format!(
        "color=s={}x{PATCH}:r=10:d=2,format=yuv420p10le,geq=lum={}:cb={}:cr={}",
        count * PATCH,
        sample(0, PATCH),
        sample(1, PATCH / 2),
        sample(2, PATCH / 2)
    );
    let encode = "-c:v libx265 -preset ultrafast -x265-params lossless=1:log-level=none -color_range tv";
    let outputs = processed(&Clip::new("source.mp4", &format!("-f lavfi -i {picture} {encode} {tags}")));
    let at: Vec<_> = (0..count).map(|index| index * PATCH + PATCH / 2).collect();
    colours_across(&outputs.out("video.mp4"), &at)
}

/// Asserts that no channel differs by more than 4 of 255.
fn assert_alike(shown: &[Colour], expected: &[Colour], name: &str) {
    let differs = |(shown, expected): (&Colour, &Colour)| {
        shown.iter().zip(expected).any(|(shown, expected)| shown.abs_diff(*expected) > 4)
    };
    let different: Vec<_> = shown.iter().zip(expected).filter(|pair| differs(*pair)).collect();
    assert!(different.is_empty(), "{name}, shown and expected: {different:?}");
}

#[test]
fn the_same_light_is_shown_alike_from_pq_and_hlg() {
    let expected = LIGHT.map(|(_, _, colour)| colour);
    let (pq, hlg) = (LIGHT.map(|(pq, _, _)| pq), LIGHT.map(|(_, hlg, _)| hlg));
    for (transfer, patches) in [("smpte2084", pq), ("arib-std-b67", hlg)] {
        // Some files do not say which primaries and matrix they use. With these curves, it can only be BT.2020's.
        for others in ["-color_primaries bt2020 -colorspace bt2020nc", ""] {
            let tags = format!("{others} -color_trc {transfer}");
            assert_alike(&shown(&patches, tags.trim()), &expected, &tags);
        }
    }
}

#[test]
fn the_curve_of_srgb_is_converted_with_the_primaries_of_display_p3() {
    let tags = "-color_primaries smpte432 -colorspace bt709 -color_trc iec61966-2-1";
    let shown = shown(&DISPLAY_P3.map(|(patch, _)| patch), tags);
    assert_alike(&shown, &DISPLAY_P3.map(|(_, colour)| colour), "Display P3");
}

#[test]
fn a_high_dynamic_range_becomes_a_standard_one() {
    let colours = "-color_primaries bt2020 -color_trc smpte2084 -colorspace bt2020nc";
    let encode = format!("-c:v libx265 -preset ultrafast -x265-params log-level=none -pix_fmt yuv420p10le {colours}");
    let outputs = processed(&Clip::new("source.mp4", &format!("{} {encode}", moving("320x180", "10", 2.0))));
    outputs.check(320, 180, 2.0, false);
    assert_eq!(outputs.plan.colour.hdr_transfer, Some("smpte2084"));
    assert_eq!(ffprobe(&outputs.out("video.mp4"))["streams"][0]["color_transfer"], "bt709");
}

/// Returns the colour of the poster of a clip of one colour.
fn poster_colour(picture: &str, encode: &str, name: &str) -> Colour {
    let clip = Clip::new(name, &format!("-f lavfi -i {picture} {encode}"));
    centre_colour(&processed(&clip).out("poster.jpg"))
}

#[test]
fn white_paper_in_a_high_dynamic_range_is_as_bright_as_in_an_ordinary_one() {
    let tags = "-color_primaries bt2020 -colorspace bt2020nc -preset ultrafast -c:v libx264";
    for (transfer, white) in [("smpte2084", 573), ("arib-std-b67", 721)] {
        let picture = format!("color=s=64x64:r=10:d=2,format=yuv420p10le,geq=lum={white}:cb=512:cr=512");
        let [red, green, blue] = poster_colour(&picture, &format!("{tags} -color_trc {transfer}"), "source.mp4");
        assert!(red > 240 && green > 240 && blue > 240, "{transfer}: {red}, {green}, {blue}");
    }
}

#[test]
fn wide_colours_are_converted_and_not_only_renamed() {
    // A yellow that BT.709 shows too: the blue of BT.2020 needs less of it.
    let tags = "-colorspace bt2020nc -color_trc bt709 -c:v libx264 -preset ultrafast -pix_fmt yuv420p";
    let picture = "color=c=0xC08040:s=64x64:r=10:d=2,scale=out_color_matrix=bt2020:out_range=tv";
    let colour =
        |primaries: &str| poster_colour(picture, &format!("{tags} -color_primaries {primaries}"), "source.mp4");
    let (same, wide) = (colour("bt709"), colour("bt2020"));
    assert!(wide[0] > same[0] + 8 && wide[2] + 8 < same[2], "{same:?} {wide:?}");
}

#[test]
fn saturated_colours_that_bt709_lacks_become_its_own_saturated_colours() {
    // Red, green, blue and magenta at the limits of the source's colours.
    let picture = "color=s=256x64:r=10:d=2,format=gbrp,\
        geq=r='255*(eq(floor(X/64),0)+eq(floor(X/64),3))':g='255*eq(floor(X/64),1)':b='255*gte(X,128)'";
    for (primaries, transfer, matrix, zimg) in [
        ("bt2020", "bt709", "bt2020nc", "2020_ncl"),
        ("smpte432", "bt709", "bt709", "709"),
        ("bt2020", "arib-std-b67", "bt2020nc", "2020_ncl"),
        ("bt2020", "smpte2084", "bt2020nc", "2020_ncl"),
    ] {
        let tags = format!("-color_primaries {primaries} -color_trc {transfer} -colorspace {matrix}");
        let set = format!("setparams=range=pc:color_primaries={primaries}:color_trc={transfer}:colorspace=gbr");
        let encode = format!(
            "-vf {set},zscale=matrix={zimg}:range=limited,format=yuv420p10le -c:v libx265 -preset ultrafast \
             -x265-params lossless=1:log-level=none {tags}"
        );
        let outputs = processed(&Clip::new("source.mp4", &format!("-f lavfi -i {picture} {encode}")));
        let colours = colours_across(&outputs.out("video.mp4"), &[32, 96, 160, 224]);
        let [red, green, blue, magenta] = colours[..] else { panic!("{colours:?}") };
        let is_pure = |colour: Colour, which: [bool; 3]| {
            colour.iter().zip(which).all(|(value, is_on)| if is_on { *value >= 250 } else { *value <= 6 })
        };
        assert!(is_pure(red, [true, false, false]), "{primaries} {transfer}: {colours:?}");
        assert!(is_pure(green, [false, true, false]), "{primaries} {transfer}: {colours:?}");
        assert!(is_pure(blue, [false, false, true]), "{primaries} {transfer}: {colours:?}");
        // The blue of a bright magenta is compressed in a high dynamic range.
        assert!(magenta[0] >= 248 && magenta[1] <= 6 && magenta[2] >= 210, "{primaries} {transfer}: {colours:?}");
    }
}

/// Returns the colours of a video's first frame in its middle line, at these positions.
fn colours_across(video: &Path, at: &[u32]) -> Vec<Colour> {
    let picture = video.with_extension("png");
    // Wherever colour is stored for two by two pixels, players read BT.709 in a limited range.
    let decode = "-frames:v 1 -vf scale=in_color_matrix=bt709:in_range=limited:out_range=full,format=rgb24";
    let input = ["-v", "error", "-y", "-i", video.to_str().unwrap()];
    let status = Command::new("ffmpeg").args(input).args(decode.split(' ')).arg(&picture).status().unwrap();
    assert!(status.success());
    let picture = image::open(picture).unwrap().to_rgb8();
    at.iter().map(|x| picture.get_pixel(*x, picture.height() / 2).0).collect()
}

#[test]
fn transparent_pixels_become_black() {
    let colour = poster_colour("color=c=red@0.0:s=64x64:r=10:d=2,format=rgba", "-c:v png", "source.mov");
    assert!(colour.iter().all(|value| *value < 24), "{colour:?}");
}
