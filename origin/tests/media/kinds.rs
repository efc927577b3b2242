//! Clips of every kind go through the whole media work, and what comes out is looked at by ffprobe and by our own prober.
//!
//! Our prober's look is part of `verify`, without which nothing here succeeds.

use crate::clips::{AAC, Clip, H264, moving, tone};
use crate::made::{Made, centre, loudness, make, rejection};
use origin::media::{Thumbnail, Treatment};

/// 2.5 s of moving pictures and a quiet tone.
fn with_sound(name: &str, options: &str) -> Clip {
    let inputs = format!("{} {}", moving("320x180", "30", 2.5), tone(2.5));
    Clip::make(name, &format!("{inputs} {H264} {AAC} {options}"))
}

fn best(clip: &Clip) -> Made {
    make(&clip.path(), &Thumbnail::Best).unwrap_or_else(|error| panic!("{error:?}"))
}

fn passes(clip: &Clip) -> Made {
    let made = best(clip);
    let seen = crate::made::probe(&clip.path());
    made.check(320, 180, crate::made::length(&seen).unwrap(), true);
    made
}

#[test]
fn mp4_passes_with_its_header_at_either_end_or_in_fragments() {
    passes(&with_sound("source.mp4", ""));
    passes(&with_sound("source.mp4", "-movflags +faststart"));
    passes(&with_sound(
        "source.mp4",
        "-movflags frag_keyframe+empty_moov+default_base_moof",
    ));
}

#[test]
fn matroska_avi_flv_and_transport_streams_pass() {
    for name in ["source.mkv", "source.flv", "source.ts"] {
        passes(&with_sound(name, ""));
    }
    let inputs = format!("{} {}", moving("320x180", "30", 2.5), tone(2.5));
    passes(&Clip::make(
        "source.avi",
        &format!("{inputs} -c:v mpeg4 -q:v 3 -c:a mp3 -ac 2"),
    ));
}

#[test]
fn webm_without_a_duration_passes() {
    let inputs = format!("{} {}", moving("320x180", "30", 2.5), tone(2.5));
    let encode =
        "-c:v libvpx -deadline realtime -cpu-used 8 -b:v 500k -c:a libopus -f webm -live 1";
    let made = best(&Clip::make("source.webm", &format!("{inputs} {encode}")));
    made.check(320, 180, 2.5, true);
}

#[test]
fn a_video_without_sound_gets_no_sound() {
    let clip = Clip::make(
        "source.mp4",
        &format!("{} {H264}", moving("320x180", "30", 2.0)),
    );
    let made = best(&clip);
    made.check(320, 180, 2.0, false);
    assert_eq!(made.verified.loudness, None);
}

#[test]
fn a_source_that_already_is_the_first_rendition_is_copied_packet_by_packet() {
    let clip = with_sound("source.mp4", "-crf 35");
    let hash = |path: &std::path::Path| {
        let arguments = [
            "-v",
            "error",
            "-i",
            path.to_str().unwrap(),
            "-map",
            "0:v",
            "-c",
            "copy",
            "-f",
            "md5",
            "-",
        ];
        std::process::Command::new("ffmpeg")
            .args(arguments)
            .output()
            .unwrap()
            .stdout
    };
    let copied = passes(&clip);
    assert!(copied.plan.copy_video);
    assert_eq!(hash(&clip.path()), hash(&copied.out("video.mp4")));
}

#[test]
fn groups_that_reach_into_the_ones_before_are_encoded_anew() {
    let open = "-c:v libx264 -preset fast -crf 35 -pix_fmt yuv420p -bf 2 -g 30 -x264-params open-gop=1:scenecut=0";
    let clip = Clip::make(
        "source.mp4",
        &format!("{} {open}", moving("320x180", "30", 3.0)),
    );
    let made = best(&clip);
    made.check(320, 180, 3.0, false);
    assert!(!made.plan.copy_video);
}

#[test]
fn a_turned_phone_video_comes_out_upright() {
    let clip = with_sound("flat.mp4", "").from("source.mov", "-c copy -metadata:s:v rotate=90");
    let made = best(&clip);
    made.check(180, 320, 2.5, true);
    assert!(!made.plan.copy_video);
}

#[test]
fn frames_that_say_of_themselves_how_they_are_turned_stay_as_the_file_says() {
    let halves = "-f lavfi -i color=c=black:s=320x180:r=10:d=2 -vf drawbox=x=160:c=white:t=fill";
    let turn = "-bsf:v h264_metadata=display_orientation=insert:rotate=90";
    let clip = Clip::make("source.ts", &format!("{halves} {H264} {turn}"));
    let poster = image::open(best(&clip).out("poster.jpg")).unwrap();
    let poster = poster.to_luma8();
    let [left, right] = [80, 240].map(|x| poster.get_pixel(x, 45).0[0]);
    assert!(left < 30 && right > 220, "{left} and {right}");
}

#[test]
fn a_matrix_that_does_not_turn_leaves_nothing_behind() {
    let one = 65_536_i32;
    let moved = [one, 0, 0, 0, one, 0, 100 * one, 50 * one, 1 << 30];
    let doubled = [2 * one, 0, 0, 0, 2 * one, 0, 0, 0, 1 << 30];
    for matrix in [moved, doubled] {
        let clip = with_sound("source.mp4", "-crf 35");
        let mut bytes = std::fs::read(clip.path()).unwrap();
        let header = bytes.windows(4).position(|four| four == b"tkhd").unwrap();
        let values: Vec<u8> = matrix
            .iter()
            .flat_map(|value| value.to_be_bytes())
            .collect();
        bytes[header + 44..header + 80].copy_from_slice(&values);
        std::fs::write(clip.path(), bytes).unwrap();
        assert!(!passes(&clip).plan.copy_video);
    }
}

#[test]
fn portrait_odd_and_tiny_sizes_pass() {
    let silent = |size: &str, options: &str| {
        Clip::make(
            "source.mkv",
            &format!(
                "{} -c:v libx264 -preset ultrafast {options}",
                moving(size, "10", 2.0)
            ),
        )
    };
    best(&silent("180x320", "-pix_fmt yuv420p")).check(180, 320, 2.0, false);
    best(&silent("203x101", "-pix_fmt yuv444p")).check(202, 100, 2.0, false);
    let tiny = Clip::make(
        "source.avi",
        &format!("{} -vf scale=1:1 -c:v rawvideo", moving("16x16", "10", 2.0)),
    );
    best(&tiny).check(2, 2, 2.0, false);
}

#[test]
fn pixels_that_are_not_square_are_made_so() {
    let clip = Clip::make(
        "source.mp4",
        &format!("{} -vf setsar=2 {H264}", moving("160x180", "30", 2.0)),
    );
    best(&clip).check(320, 180, 2.0, false);
}

#[test]
fn four_k_is_brought_to_1080_and_its_ladder_is_whole() {
    let clip = Clip::make(
        "source.mp4",
        &format!("{} {H264}", moving("3840x2160", "5", 2.0)),
    );
    let made = best(&clip);
    made.check(1920, 1080, 2.0, false);
    assert_eq!(made.names(), [1080, 720, 480, 360]);
    assert_eq!(made.verified.renditions.len(), 4);
}

#[test]
fn one_channel_or_six_become_two() {
    let sounds = [
        "sine=f=440:d=2,aformat=channel_layouts=mono",
        "aevalsrc=sin(440*t)|sin(880*t)|sin(660*t)|0.1|sin(220*t)|sin(330*t):c=5.1:d=2",
    ];
    for sound in sounds {
        let inputs = format!("{} -f lavfi -i {sound}", moving("320x180", "30", 2.0));
        let clip = Clip::make("source.mp4", &format!("{inputs} {H264} -c:a aac"));
        let made = best(&clip);
        made.check(320, 180, 2.0, true);
        let (integrated, _) = loudness(&made.out("video.mp4"));
        assert!(
            (-15.0..-13.0).contains(&integrated),
            "{sound}: {integrated}"
        );
    }
}

/// Three seconds of one kind and three of another, one behind the other in a transport stream, as switchers make them.
fn in_two_parts(size: &str, sounds: [&str; 2]) -> Clip {
    let part = |size: &str, offset: u32, sound: &str| {
        let inputs = format!("{} {}", moving(size, "30", 3.0), tone(3.0));
        Clip::make(
            "source.ts",
            &format!("{inputs} {H264} {sound} -output_ts_offset {offset}"),
        )
    };
    let (first, second) = (part("320x180", 0, sounds[0]), part(size, 3, sounds[1]));
    let bytes = [first.path(), second.path()].map(|path| std::fs::read(path).unwrap());
    std::fs::write(first.path(), bytes.concat()).unwrap();
    first
}

#[test]
fn pictures_that_change_their_size_on_the_way_pass() {
    let made = best(&in_two_parts("640x360", ["-an"; 2]));
    made.check(320, 180, 6.0, false);
    let seen = crate::made::probe(&made.out("video.mp4"));
    assert_eq!(seen["streams"][0]["nb_frames"], "180");
    let frames = std::fs::read_dir(made.folder.path().join("frames"));
    assert_eq!(frames.unwrap().count(), 12);
}

#[test]
fn sound_that_becomes_stereo_on_the_way_passes() {
    let made = best(&in_two_parts("320x180", ["-ac 1", "-ac 2"]));
    made.check(320, 180, 6.0, true);
    let seen = crate::made::probe(&made.out("video.mp4"));
    assert_eq!(seen["streams"][0]["nb_frames"], "180");
    let packets = seen["streams"][1]["nb_frames"].as_str().unwrap();
    let packets: u32 = packets.parse().unwrap();
    assert!((281..=286).contains(&packets), "{packets}");
}

#[test]
fn sound_that_begins_late_waits_in_silence() {
    let late = format!("-itsoffset 1 {}", tone(2.0));
    let inputs = format!("{} {late}", moving("320x180", "30", 3.0));
    let made = best(&Clip::make("source.mkv", &format!("{inputs} {H264} {AAC}")));
    made.check(320, 180, 3.0, true);
    let seen = crate::made::probe(&made.out("video.mp4"));
    assert_eq!(seen["streams"][1]["start_time"], "0.000000");
}

#[test]
fn a_thousand_frames_a_second_become_sixty() {
    let clip = Clip::make(
        "source.mp4",
        &format!("{} {H264}", moving("64x64", "1000", 2.0)),
    );
    let made = best(&clip);
    made.check(64, 64, 2.0, false);
    assert!((made.plan.rate.per_second() - 60.0).abs() < 1e-9);
}

#[test]
fn a_variable_frame_rate_is_made_constant() {
    let uneven = "-vf select='not(between(n,20,40))' -fps_mode vfr";
    let clip = Clip::make(
        "source.mp4",
        &format!("{} {uneven} {H264}", moving("320x180", "30", 2.5)),
    );
    let made = best(&clip);
    made.check(320, 180, 2.5, false);
    let seen = crate::made::probe(&made.out("video.mp4"));
    assert_eq!(seen["streams"][0]["nb_frames"], "75");
    assert_eq!(seen["streams"][0]["avg_frame_rate"], "30/1");
}

#[test]
fn a_high_dynamic_range_becomes_a_plain_one() {
    let colours = "-color_primaries bt2020 -color_trc smpte2084 -colorspace bt2020nc";
    let encode = format!(
        "-c:v libx265 -preset ultrafast -x265-params log-level=none -pix_fmt yuv420p10le {colours}"
    );
    let clip = Clip::make(
        "source.mp4",
        &format!("{} {encode}", moving("320x180", "10", 2.0)),
    );
    let made = best(&clip);
    made.check(320, 180, 2.0, false);
    assert_eq!(made.plan.colour.high_dynamic_range, Some("smpte2084"));
    let seen = crate::made::probe(&made.out("video.mp4"));
    assert_eq!(seen["streams"][0]["color_transfer"], "bt709");
}

#[test]
fn interlaced_pictures_are_made_whole() {
    let clip = Clip::make(
        "source.ts",
        &format!(
            "{} -c:v mpeg2video -q:v 4 -flags +ilme+ildct -top 1",
            moving("320x180", "25", 2.0)
        ),
    );
    let made = best(&clip);
    made.check(320, 180, 2.0, false);
    assert!(made.plan.interlaced);
}

#[test]
fn sound_of_every_kind_comes_to_the_target_as_stereo() {
    let quiet = "-filter:a volume=-10dB -ac 1";
    let loud = "-filter:a volume=18dB";
    let surround = "-c:a ac3 -ac 6";
    // Bursts with long pauses: raised as they are they would clip, so the limiter has to work.
    let spiky = "-filter:a volume='if(lt(mod(t,0.5),0.02),20,0.3)':eval=frame";
    for options in [quiet, loud, surround, spiky] {
        let made = passes(&with_sound("source.mkv", options));
        let (integrated, peak) = loudness(&made.out("video.mp4"));
        assert!(
            (integrated + 14.0).abs() <= 1.0,
            "{options}: {integrated} LUFS"
        );
        assert!(peak <= -1.0, "{options}: {peak} dBTP");
        let ours = made.verified.loudness.unwrap();
        assert!((ours.integrated_lufs - integrated).abs() < 0.5, "{ours:?}");
    }
}

#[test]
fn near_silence_is_not_made_into_noise() {
    let made = passes(&with_sound("source.mkv", "-filter:a volume=-60dB"));
    assert!(made.verified.loudness.unwrap().integrated_lufs < -60.0);
    assert_eq!(made.outputs.findings.silent.len(), 1);
}

/// How long the pictures of a playlist play.
fn playlist_seconds(made: &Made) -> f64 {
    let text = std::fs::read_to_string(made.out(&format!("hls/{}p.m3u8", made.names()[0])));
    let text = text.unwrap();
    let lengths = text
        .lines()
        .filter_map(|line| line.strip_prefix("#EXTINF:"));
    lengths
        .map(|length| length.trim_end_matches(',').parse::<f64>().unwrap())
        .sum()
}

#[test]
fn the_last_picture_stays_as_long_as_the_sound_goes_on() {
    for (name, picture) in [
        ("source.mp4", 2.0),
        ("source.mkv", 2.0),
        ("source.mp4", 0.04),
    ] {
        let inputs = format!("{} {}", moving("320x180", "25", picture), tone(7.0));
        let made = best(&Clip::make(name, &format!("{inputs} {H264} {AAC}")));
        made.check(320, 180, 7.0, true);
        let played = playlist_seconds(&made);
        assert!((played - 7.0).abs() < 0.1, "{name}, {picture} s: {played}");
        assert!(made.plan.stills.storyboard.cells >= 7);
    }
}

#[test]
fn a_second_sound_that_begins_earlier_moves_nothing() {
    let sounds = format!("-itsoffset 0.4 {} {}", tone(2.5), tone(2.9));
    let inputs = format!("-itsoffset 0.4 {} {sounds}", moving("320x180", "30", 2.5));
    let encode = format!("-map 0 -map 1 -map 2 {H264} {AAC}");
    for name in ["source.mkv", "source.mp4"] {
        let clip = Clip::make("first.mkv", &format!("{inputs} {encode}"));
        let made = best(&clip.from(name, "-map 0 -c copy"));
        made.check(320, 180, 2.52, true);
        let streams = &crate::made::probe(&made.out("video.mp4"))["streams"];
        for stream in streams.as_array().unwrap() {
            let start: f64 = stream["start_time"].as_str().unwrap().parse().unwrap();
            assert!(start < 0.05, "{name}: {stream}");
        }
    }
}

#[test]
fn sound_that_is_right_already_is_copied() {
    let first = passes(&with_sound("source.mp4", "-crf 35"));
    let made = make(&first.out("video.mp4"), &Thumbnail::Best).unwrap();
    assert_eq!(made.plan.sound.as_ref().unwrap().treatment, Treatment::Copy);
    assert!(made.plan.copy_video);
}

#[test]
fn the_asked_thumbnail_is_exactly_that_frame() {
    // Neighbouring frames are one grey each, far apart.
    let shades =
        "-f lavfi -i color=c=black:s=64x64:r=25:d=3 -vf format=gray,geq=lum='20+40*mod(N,5)'";
    let clip = Clip::make("source.mkv", &format!("{shades} -c:v ffv1"));
    for (time, frame) in [
        (0, 0_i32),
        (1000, 25),
        (1039, 25),
        (1040, 26),
        (2960, 74),
        (60_000, 74),
    ] {
        let made = make(&clip.path(), &Thumbnail::At(time)).unwrap();
        let [red, ..] = centre(&made.out("poster.jpg"));
        let expected = f64::from(20 + 40 * (frame % 5));
        assert!(
            (f64::from(red) - expected).abs() < 6.0,
            "{time} ms: {red} instead of {expected}"
        );
    }
}

#[test]
fn every_picture_has_the_colours_of_the_video() {
    let colour = "-f lavfi -i color=c=0xBF1F7F:s=320x180:r=10:d=3 \
        -vf scale=out_color_matrix=bt709:out_range=limited,format=yuv420p \
        -colorspace bt709 -color_primaries bt709 -color_trc bt709 -color_range tv -c:v libx264 -crf 10";
    let made = best(&Clip::make("source.mp4", colour));
    // The preview is compressed most.
    for (name, off) in [
        ("poster.jpg", 4),
        ("thumbnail-320.jpg", 4),
        ("storyboard.jpg", 4),
        ("../frames/0001.jpg", 4),
        ("preview.webp", 10),
    ] {
        let seen = centre(&made.out(name));
        let near = seen
            .iter()
            .zip([191_u8, 31, 127])
            .all(|(seen, meant)| seen.abs_diff(meant) <= off);
        assert!(near, "{name}: {seen:?}");
    }
}

#[test]
fn the_best_thumbnail_is_neither_black_nor_faded() {
    let fades = "-vf fade=in:0:40,fade=out:55:35";
    let clip = Clip::make(
        "source.mp4",
        &format!("{} {fades} {H264}", moving("320x180", "30", 3.0)),
    );
    let made = best(&clip);
    let poster = image::open(made.out("poster.jpg")).unwrap().to_luma8();
    let brightest = poster.pixels().map(|pixel| pixel.0[0]).max().unwrap();
    assert!(brightest > 200, "{brightest}");
    assert_eq!(made.outputs.findings.flashing, []);
}

#[test]
fn a_track_of_closed_captions_is_passed_over() {
    let folder = tempfile::tempdir().unwrap();
    let captions = folder.path().join("captions.srt");
    std::fs::write(&captions, "1\n00:00:00,000 --> 00:00:02,000\nhello\n").unwrap();
    let inputs = format!("{} -i {}", moving("320x180", "30", 2.0), captions.display());
    let clip = Clip::make("source.mp4", &format!("{inputs} {H264} -c:s mov_text"));
    // ffmpeg writes no such track, but its name is all that tells one from another.
    let mut bytes = std::fs::read(clip.path()).unwrap();
    for (from, to) in [(b"tx3g", b"c608"), (b"sbtl", b"clcp")] {
        for at in 0..bytes.len() - 4 {
            if bytes[at..at + 4] == from[..] {
                bytes[at..at + 4].copy_from_slice(to);
            }
        }
    }
    std::fs::write(clip.path(), bytes).unwrap();
    let seen = crate::made::probe(&clip.path());
    assert_eq!(seen["streams"][1]["codec_name"], "eia_608");
    best(&clip).check(320, 180, 2.0, false);
}

#[test]
fn a_sent_picture_becomes_poster_and_thumbnails_without_its_metadata() {
    let clip = with_sound("source.mp4", "");
    let folder = tempfile::tempdir().unwrap();
    let picture = folder.path().join("picture");
    crate::clips::ffmpeg(
        folder.path(),
        "-f lavfi -i color=c=red:s=900x600 -frames:v 1 -metadata comment=SECRET red.png",
    );
    std::fs::rename(folder.path().join("red.png"), &picture).unwrap();
    let made = make(&clip.path(), &Thumbnail::Picture(picture)).unwrap();
    for (name, size) in [
        ("poster.jpg", (900, 600)),
        ("thumbnail-640.jpg", (640, 426)),
        ("thumbnail-320.jpg", (320, 214)),
    ] {
        assert_eq!(
            image::image_dimensions(made.out(name)).unwrap(),
            size,
            "{name}"
        );
        let bytes = std::fs::read(made.out(name)).unwrap();
        assert!(!bytes.windows(6).any(|window| window == b"SECRET"));
        let [red, green, _] = centre(&made.out(name));
        assert!(red > 240 && green < 15, "{name}");
    }
    let judged = made.folder.path().join("poster.jpg");
    assert_eq!(image::image_dimensions(&judged).unwrap(), (512, 342));
    assert!(centre(&judged)[0] > 240, "moderation sees what was sent");
}

#[test]
fn a_sent_picture_that_is_none_is_rejected() {
    let clip = with_sound("source.mp4", "");
    let outcome = make(&clip.path(), &Thumbnail::Picture(clip.path()));
    let code = outcome.unwrap_err().to_string();
    assert!(code.starts_with("content_thumbnail_invalid"), "{code}");
}

#[test]
fn the_frames_for_moderation_and_the_pictures_are_all_there() {
    let made = passes(&with_sound("source.mp4", ""));
    let frames = std::fs::read_dir(made.folder.path().join("frames"))
        .unwrap()
        .count();
    assert_eq!(frames, 5, "one each half second");
    let judged = image::image_dimensions(made.folder.path().join("poster.jpg")).unwrap();
    assert_eq!(
        judged,
        image::image_dimensions(made.out("poster.jpg")).unwrap()
    );
    let board = image::image_dimensions(made.out("storyboard.jpg")).unwrap();
    assert_eq!(board, (3 * 160, 90));
    let preview = std::fs::read(made.out("preview.webp")).unwrap();
    assert!(
        preview
            .windows(4)
            .filter(|window| window == b"ANMF")
            .count()
            > 10,
        "it moves"
    );
    assert!(
        made.verified
            .files
            .iter()
            .all(|(file, bytes)| *bytes > 0 && made.out(&file.to_string()).is_file())
    );
}

#[test]
fn black_frozen_and_flashing_pictures_are_found() {
    let black = format!("-f lavfi -i color=c=black:s=64x64:r=30:d=3 {H264}");
    let found = best(&Clip::make("source.mp4", &black)).outputs.findings;
    assert_eq!((found.black.len(), found.frozen.len()), (1, 1), "{found:?}");
    let strobe = "-f lavfi -i color=c=black:s=160x90:r=30:d=3 -vf format=gray,geq=lum='if(lt(mod(N,6),3),16,235)'";
    let found = best(&Clip::make("source.mp4", &format!("{strobe} {H264}")))
        .outputs
        .findings;
    assert!(!found.flashing.is_empty(), "{found:?}");
}

#[test]
fn too_short_too_long_and_not_a_video_are_rejected_with_the_contract_s_codes() {
    let silent = |seconds: f64, size: &str| {
        Clip::make(
            "source.mp4",
            &format!("{} {H264}", moving(size, "25", seconds)),
        )
    };
    assert_eq!(
        rejection(&silent(1.96, "64x64").path()),
        "content_video_duration_invalid"
    );
    assert_eq!(
        rejection(&silent(121.0, "32x32").path()),
        "content_video_duration_invalid"
    );
    let sound = Clip::make("source.m4a", &format!("{} {AAC}", tone(3.0)));
    assert_eq!(rejection(&sound.path()), "content_file_invalid_format");
    let text = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(text.path(), "#EXTM3U\n#EXTINF:5,\nfile:///etc/passwd\n").unwrap();
    assert_eq!(rejection(text.path()), "content_file_invalid_format");
}

#[test]
fn a_title_can_neither_change_the_log_nor_survive() {
    // Lines that the log's parser stumbles over, and one that looks like the loudness meter's.
    let title = "-metadata title=Stream~#0:0:~Video:~h264 -metadata comment=I:~-3.0~LUFS";
    let made = passes(&with_sound("source.mkv", title));
    let seen = crate::made::probe(&made.out("video.mp4"));
    assert_eq!(seen["format"]["tags"].get("title"), None);
    assert_eq!(seen["format"]["tags"].get("comment"), None);
}
