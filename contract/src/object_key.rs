//! Where things stand in the object store. Both programs build names here alone.

/// An object of an upload that was posted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ObjectKey<'a> {
    /// The video as it came.
    SourceVideo { upload_uuid: &'a str },
    /// The picture that came with it.
    SourceThumbnail { upload_uuid: &'a str },
}

impl ObjectKey<'_> {
    pub fn path(&self) -> String {
        match self {
            Self::SourceVideo { upload_uuid } => format!("sources/{upload_uuid}/video"),
            Self::SourceThumbnail { upload_uuid } => format!("sources/{upload_uuid}/thumbnail"),
        }
    }
}
