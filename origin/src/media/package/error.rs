//! The errors of this stage.

use crate::media::MediaError;
use std::fmt::Display;
use std::path::Path;

/// A file that the encode wrote cannot be packaged. The next attempt would fail in the same way.
pub(super) fn invalid(path: &Path, cause: &dyn Display) -> MediaError {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    MediaError::Permanent(format!("{name} cannot be packaged: {cause}"))
}
