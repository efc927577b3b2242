//! The life of a video as a whole.
