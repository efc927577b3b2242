//! The boxes of a CMAF file: its header, and one `moof` for each fragment. Pure.

use super::track::{Sample, Track};
use mp4_atom::{
    Codec, Encode, FixedPoint, Ftyp, Matrix, Mfhd, Moof, Moov, Mvex, Mvhd, Stbl, StszSamples, Tfdt, Tfhd, Traf, Trak,
    Trex, Trun, TrunEntry,
};

/// "Depends on no other sample", and "depends on others and is no place to start".
const KEYFRAME: u32 = 0x0200_0000;
const OTHER_FRAME: u32 = 0x0101_0000;

const TRACK: u32 = 1;

/// Returns the header of the file.
pub(super) fn file_header(track: &Track) -> mp4_atom::Result<Vec<u8>> {
    let mut brands = [b"iso6", b"cmfc", b"cmf2", b"mp41"].map(Into::into).to_vec();
    // The specification of AV1 in MP4 demands it.
    if matches!(track.header.mdia.minf.stbl.stsd.codecs.first(), Some(Codec::Av01(_))) {
        brands.push(b"av01".into());
    }
    let mut bytes = Vec::new();
    Ftyp { major_brand: b"iso6".into(), minor_version: 0, compatible_brands: brands }.encode(&mut bytes)?;
    let trex = Trex { track_id: TRACK, default_sample_description_index: 1, ..Trex::default() };
    let moov = Moov {
        mvhd: Mvhd {
            creation_time: 0,
            modification_time: 0,
            timescale: 1000,
            duration: 0,
            rate: FixedPoint::from(1),
            volume: FixedPoint::from(1),
            matrix: Matrix::default(),
            next_track_id: TRACK + 1,
        },
        mvex: Some(Mvex { mehd: None, trex: vec![trex] }),
        trak: vec![track_header(&track.header)],
        ..Moov::default()
    };
    moov.encode(&mut bytes)?;
    Ok(bytes)
}

/// The track without samples, edits and dates.
fn track_header(header: &Trak) -> Trak {
    let mut header = Trak { edts: None, meta: None, udta: None, senc: None, tref: None, ..header.clone() };
    header.tkhd.track_id = TRACK;
    header.tkhd.duration = 0;
    header.mdia.mdhd.duration = 0;
    let stsd = std::mem::take(&mut header.mdia.minf.stbl.stsd);
    header.mdia.minf.stbl = Stbl { stsd, stco: Some(mp4_atom::Stco::default()), ..Stbl::default() };
    header.mdia.minf.stbl.stsz.samples = StszSamples::Identical { count: 0, size: 0 };
    header
}

/// Returns the `moof` and the header of the `mdat` of a fragment with these samples. Decoding begins when the first of
/// them is presented, and lasts as long as presentation.
pub(super) fn fragment_header(number: u32, samples: &[Sample], is_video: bool) -> mp4_atom::Result<Vec<u8>> {
    let mut moof = moof(number, samples, is_video);
    let length = encoded(&moof)?.len();
    if let Some(trun) = moof.traf.first_mut().and_then(|traf| traf.trun.first_mut()) {
        trun.data_offset = Some(i32::try_from(length + 8).map_err(|_| mp4_atom::Error::InvalidSize)?);
    }
    let mut bytes = encoded(&moof)?;
    let payload: u64 = samples.iter().map(|sample| u64::from(sample.size)).sum();
    let size = u32::try_from(payload + 8).map_err(|_| mp4_atom::Error::InvalidSize)?;
    bytes.extend(size.to_be_bytes());
    bytes.extend(b"mdat");
    Ok(bytes)
}

fn encoded(moof: &Moof) -> mp4_atom::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    moof.encode(&mut bytes)?;
    Ok(bytes)
}

fn moof(number: u32, samples: &[Sample], is_video: bool) -> Moof {
    let start = samples.first().map_or(0, |sample| sample.time);
    let usual_duration = samples.first().map_or(0, |sample| sample.duration);
    let has_usual_duration = samples.iter().all(|sample| sample.duration == usual_duration);
    let has_more_keyframes = samples.iter().skip(1).any(|sample| sample.is_keyframe);
    let mut decoded_at = start;
    let entries = samples.iter().enumerate().map(|(index, sample)| {
        let delay = sample.time - decoded_at;
        decoded_at += i64::from(sample.duration);
        let flags = if sample.is_keyframe { KEYFRAME } else { OTHER_FRAME };
        TrunEntry {
            duration: (!has_usual_duration).then_some(sample.duration),
            size: Some(sample.size),
            flags: (is_video && (index == 0 || has_more_keyframes)).then_some(flags),
            cts: is_video.then_some(delay),
        }
    });
    let trun = Trun { data_offset: Some(0), samples: entries.collect::<Vec<_>>().into() };
    let tfhd = Tfhd {
        track_id: TRACK,
        default_sample_duration: has_usual_duration.then_some(usual_duration),
        default_sample_flags: Some(if is_video { OTHER_FRAME } else { KEYFRAME }),
        default_base_is_moof: true,
        ..Tfhd::default()
    };
    let tfdt = Tfdt { base_media_decode_time: u64::try_from(start).unwrap_or(0) };
    let traf = Traf { tfhd, tfdt: Some(tfdt), trun: vec![trun], ..Traf::default() };
    Moof { mfhd: Mfhd { sequence_number: number }, traf: vec![traf] }
}
