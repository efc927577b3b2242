//! Measures the swings of brightness and of red in each cell of a picture. Pure.
//!
//! The terms are those of WCAG 2.3.1 and ITU-R BT.1702: a transition is a change of at least a tenth of the largest
//! relative luminance, of which the darker end is below 0.8, or a change of saturated red by more than 20. A flash is
//! two opposing transitions.

use std::sync::LazyLock;

/// The smallest change that counts as a transition, in relative luminance.
const MIN_CHANGE: f32 = 0.1;
const MAX_DARKER: f32 = 0.8;
/// The change of `(R - G - B) * 320` above which it counts as a transition.
const MIN_RED_CHANGE: f32 = 20.0;
const SATURATED: f32 = 0.8;

/// The light that a colour value of sRGB stands for.
static LINEAR: LazyLock<[f32; 256]> = LazyLock::new(|| {
    std::array::from_fn(|value| {
        let value = f32::from(u8::try_from(value).unwrap_or(u8::MAX)) / 255.0;
        if value <= 0.040_45 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
    })
});

/// A swing of one cell in one frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Transition {
    pub(super) cell: usize,
    pub(super) is_rising: bool,
}

/// The quantity that is measured in each cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Measure {
    Luminance,
    Red,
}

impl Measure {
    fn of(self, rgb: [u8; 3]) -> f32 {
        let [red, green, blue] = rgb.map(|value| LINEAR[usize::from(value)]);
        match self {
            Self::Luminance => 0.0722f32.mul_add(blue, 0.2126f32.mul_add(red, 0.7152 * green)),
            Self::Red if red >= SATURATED * (red + green + blue) => (red - green - blue).max(0.0) * 320.0,
            Self::Red => 0.0,
        }
    }

    fn is_transition(self, from: f32, to: f32) -> bool {
        match self {
            Self::Luminance => (to - from).abs() >= MIN_CHANGE && from.min(to) < MAX_DARKER,
            Self::Red => (to - from).abs() > MIN_RED_CHANGE,
        }
    }
}

/// Follows the swings of all cells.
#[derive(Debug)]
pub(super) struct Cells {
    measure: Measure,
    swings: Vec<Swing>,
}

/// The values of one cell since its last transition.
#[derive(Clone, Copy, Debug)]
struct Swing {
    lowest: f32,
    highest: f32,
    is_rising: Option<bool>,
}

impl Cells {
    pub(super) fn new(measure: Measure, count: usize) -> Self {
        let swing = Swing { lowest: f32::INFINITY, highest: f32::NEG_INFINITY, is_rising: None };
        Self { measure, swings: vec![swing; count] }
    }

    /// Returns the transitions in the next frame, whose pixels are the cells.
    pub(super) fn next_frame(&mut self, rgb: &[u8]) -> Vec<Transition> {
        let (pixels, _) = rgb.as_chunks::<3>();
        let cells = self.swings.iter_mut().zip(pixels).enumerate();
        let transition = |(cell, (swing, rgb)): (usize, (&mut Swing, &[u8; 3]))| {
            let is_rising = swing.next(self.measure, self.measure.of(*rgb))?;
            Some(Transition { cell, is_rising })
        };
        cells.filter_map(transition).collect()
    }
}

impl Swing {
    fn next(&mut self, measure: Measure, value: f32) -> Option<bool> {
        self.lowest = self.lowest.min(value);
        self.highest = self.highest.max(value);
        let rises = self.is_rising != Some(true) && measure.is_transition(self.lowest, value);
        let falls = self.is_rising != Some(false) && measure.is_transition(self.highest, value);
        if !rises && !falls {
            return None;
        }
        *self = Self { lowest: value, highest: value, is_rising: Some(rises) };
        self.is_rising
    }
}
