//! The name of a rendition's codec by RFC 6381, from the sample entry in its file, which is what a decoder gets.
//!
//! Also checks that this entry has the form that players require: `hvc1`, whose parameter sets are in the header alone.

use super::mismatch::mismatch;
use crate::media::MediaError;
use contract::MediaFile;
use mp4_atom::{Av1c, Codec, Colr, Hvcc};
use std::fmt::Write;

/// BT.709, by the numbers of ITU-T H.273. A name without colours promises these.
const BT_709: u16 = 1;

/// Returns the name of the codec of a file in AV1 or HEVC that has this sample entry.
pub(super) fn of_entry(entry: Option<&Codec>, name: MediaFile) -> Result<String, MediaError> {
    let codec = entry.and_then(codec_name);
    codec.ok_or_else(|| mismatch(name, &format!("its sample entry is {entry:?}")))
}

/// Returns `None` for an entry that our encodes never have.
fn codec_name(entry: &Codec) -> Option<String> {
    match entry {
        Codec::Av01(entry) => av1(&entry.av1c, entry.colr.as_ref()),
        Codec::Hvc1(entry) => hevc(&entry.hvcc),
        _ => None,
    }
}

/// Formats `av01.PROFILE.LEVEL TIER.DEPTH`. The rest may be left out if it is 4:2:0 in the limited range of BT.709.
fn av1(configuration: &Av1c, colours: Option<&Colr>) -> Option<String> {
    let Av1c { seq_profile, seq_level_idx_0, seq_tier_0, high_bitdepth, monochrome, .. } = configuration;
    let is_subsampled = configuration.chroma_subsampling_x && configuration.chroma_subsampling_y;
    let is_usual = is_subsampled && !monochrome && !high_bitdepth && colours.is_none_or(is_bt_709);
    let tier = if *seq_tier_0 { 'H' } else { 'M' };
    is_usual.then(|| format!("av01.{seq_profile}.{seq_level_idx_0:02}{tier}.08"))
}

fn is_bt_709(colours: &Colr) -> bool {
    let Colr::Nclx { colour_primaries, transfer_characteristics, matrix_coefficients, full_range_flag } = colours
    else {
        return false;
    };
    [colour_primaries, transfer_characteristics, matrix_coefficients].iter().all(|code| **code == BT_709)
        && !full_range_flag
}

/// Formats `hvc1.PROFILE.COMPATIBILITY.TIER LEVEL.CONSTRAINTS`. The flags of the compatibility are in reverse order,
/// and constraints of zero at the end are left out (ISO/IEC 14496-15, annex E).
fn hevc(configuration: &Hvcc) -> Option<String> {
    let Hvcc { general_profile_space, general_tier_flag, general_profile_idc, general_level_idc, .. } = configuration;
    let compatibility = u32::from_be_bytes(configuration.general_profile_compatibility_flags).reverse_bits();
    let tier = if *general_tier_flag { 'H' } else { 'L' };
    let constraints = configuration.general_constraint_indicator_flags;
    let used = constraints.iter().rposition(|flags| *flags != 0).map_or(0, |last| last + 1);
    let mut name = format!("hvc1.{general_profile_idc}.{compatibility:X}.{tier}{general_level_idc}");
    // Writing into a string never fails.
    for flags in constraints.iter().take(used) {
        let _ = write!(name, ".{flags:X}");
    }
    (*general_profile_space == 0).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn av1c() -> Av1c {
        Av1c { seq_level_idx_0: 8, chroma_subsampling_x: true, chroma_subsampling_y: true, ..Av1c::default() }
    }

    #[test]
    fn av1_is_named_by_profile_level_tier_and_depth() {
        assert_eq!(av1(&av1c(), None).as_deref(), Some("av01.0.08M.08"));
        assert_eq!(av1(&Av1c { seq_tier_0: true, ..av1c() }, None).as_deref(), Some("av01.0.08H.08"));
        assert_eq!(av1(&Av1c { high_bitdepth: true, ..av1c() }, None), None);
    }

    #[test]
    fn colours_that_the_name_would_not_say_are_refused() {
        let colours = |matrix_coefficients, full_range_flag| Colr::Nclx {
            colour_primaries: 1,
            transfer_characteristics: 1,
            matrix_coefficients,
            full_range_flag,
        };
        assert!(av1(&av1c(), Some(&colours(1, false))).is_some());
        assert_eq!(av1(&av1c(), Some(&colours(9, false))), None);
        assert_eq!(av1(&av1c(), Some(&colours(1, true))), None);
    }

    #[test]
    fn hevc_is_named_by_profile_compatibility_level_and_constraints() {
        let hvcc = Hvcc {
            general_profile_idc: 1,
            general_profile_compatibility_flags: [0x60, 0, 0, 0],
            general_constraint_indicator_flags: [0x90, 0, 0, 0, 0, 0],
            general_level_idc: 93,
            ..Hvcc::new()
        };
        assert_eq!(hevc(&hvcc).as_deref(), Some("hvc1.1.6.L93.90"));
        let unconstrained = Hvcc { general_constraint_indicator_flags: [0; 6], general_tier_flag: true, ..hvcc };
        assert_eq!(hevc(&unconstrained).as_deref(), Some("hvc1.1.6.H93"));
    }
}
