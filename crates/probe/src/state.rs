//! The saved form of a prober.
//!
//! An upload that resumes saves it between two requests. Only the version of the program that wrote a state reads it,
//! so the layout may change at any time. This module must not depend on what the containers' states contain.

use std::any::Any;

use crate::Media;
use crate::driver::{DriverPosition, Walk};
use crate::sniff::Sniffer;
use crate::{asf, avi, flv, iso_bmff, matroska, mpeg, ogg};

/// Increase it when the saved form changes: a state of another layout must not be misread.
const LAYOUT: u8 = 1;

/// The longest saved state.
pub(crate) const MOST_SAVED: usize = 64 * 1024;

#[derive(Debug, serde::Serialize)]
pub(crate) struct SavedProber<'a> {
    pub(crate) walk: SavedWalk<'a>,
    pub(crate) position: DriverPosition,
    pub(crate) fed: u64,
    pub(crate) provisional: Option<&'a Media>,
    pub(crate) bytes_until_verdict: Option<u64>,
}

/// The same fields as [`SavedProber`] in the same order.
#[derive(Debug, serde::Deserialize)]
pub(crate) struct RestoredProber {
    pub(crate) walk: RestoredWalk,
    pub(crate) position: DriverPosition,
    pub(crate) fed: u64,
    pub(crate) provisional: Option<Media>,
    pub(crate) bytes_until_verdict: Option<u64>,
}

#[derive(Debug, serde::Serialize)]
pub(crate) enum SavedWalk<'a> {
    Sniffer,
    IsoBmff(&'a iso_bmff::IsoBmff),
    Matroska(&'a matroska::Matroska),
    Avi(&'a avi::Avi),
    Flv(&'a flv::Flv),
    Asf(&'a asf::Asf),
    Ogg(&'a ogg::Ogg),
    Transport(&'a mpeg::TransportStream),
    Program(&'a mpeg::ProgramStream),
}

impl<'a> SavedWalk<'a> {
    /// Returns the walk with its type, or `None` if it does not walk a container.
    pub(crate) fn of(walk: &'a dyn Walk) -> Option<Self> {
        let walk: &dyn Any = walk;
        walk.downcast_ref::<Sniffer>()
            .map(|_| Self::Sniffer)
            .or_else(|| walk.downcast_ref().map(Self::IsoBmff))
            .or_else(|| walk.downcast_ref().map(Self::Matroska))
            .or_else(|| walk.downcast_ref().map(Self::Avi))
            .or_else(|| walk.downcast_ref().map(Self::Flv))
            .or_else(|| walk.downcast_ref().map(Self::Asf))
            .or_else(|| walk.downcast_ref().map(Self::Ogg))
            .or_else(|| walk.downcast_ref().map(Self::Transport))
            .or_else(|| walk.downcast_ref().map(Self::Program))
    }
}

/// The same variants as [`SavedWalk`] in the same order.
#[derive(Debug, serde::Deserialize)]
pub(crate) enum RestoredWalk {
    Sniffer,
    IsoBmff(Box<iso_bmff::IsoBmff>),
    Matroska(Box<matroska::Matroska>),
    Avi(Box<avi::Avi>),
    Flv(Box<flv::Flv>),
    Asf(Box<asf::Asf>),
    Ogg(Box<ogg::Ogg>),
    Transport(Box<mpeg::TransportStream>),
    Program(Box<mpeg::ProgramStream>),
}

impl RestoredWalk {
    pub(crate) fn into_walk(self) -> Box<dyn Walk> {
        match self {
            Self::Sniffer => Box::new(Sniffer),
            Self::IsoBmff(walk) => walk,
            Self::Matroska(walk) => walk,
            Self::Avi(walk) => walk,
            Self::Flv(walk) => walk,
            Self::Asf(walk) => walk,
            Self::Ogg(walk) => walk,
            Self::Transport(walk) => walk,
            Self::Program(walk) => walk,
        }
    }
}

/// Returns `None` if the state is too large.
pub(crate) fn save(state: &SavedProber<'_>) -> Option<Vec<u8>> {
    let saved = postcard::to_extend(state, vec![LAYOUT]).ok()?;
    (saved.len() <= MOST_SAVED).then_some(saved)
}

pub(crate) fn restore(saved: &[u8]) -> Option<RestoredProber> {
    let (layout, state) = saved.split_first()?;
    let (state, rest) = postcard::take_from_bytes(state).ok().filter(|_| *layout == LAYOUT)?;
    rest.is_empty().then_some(state)
}
