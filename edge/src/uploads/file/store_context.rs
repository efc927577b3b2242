//! The context for storing a file.

use crate::base::limits::PartSizes;
use crate::platform::Platform;
use crate::platform::object_store::{ObjectStore, ObjectWriter};
use crate::uploads::admission::Permit;
use crate::uploads::names::UploadNames;
use crate::uploads::slot::lease::Lease;
use contract::ObjectKey;

pub(crate) type SegmentOf<P> = <<P as Platform>::Objects as ObjectStore>::Segment;
pub(crate) type WriterOf<P> = <<P as Platform>::Objects as ObjectStore>::Writer;
pub(crate) type StoringOf<P> = <WriterOf<P> as ObjectWriter<SegmentOf<P>>>::Storing;
pub(super) type SendingOf<P> = <<P as Platform>::Objects as ObjectStore>::Sending;

/// The platform, the names, and the lease and memory of the upload that stores a file.
pub(crate) struct StoreContext<'a, P: Platform> {
    pub platform: &'a P,
    pub names: &'a UploadNames,
    pub lease: &'a Lease<'a, P>,
    pub memory: &'a Permit<'a>,
    pub parts: PartSizes,
}

// A derived implementation would require `P: Clone`.
impl<P: Platform> Clone for StoreContext<'_, P> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P: Platform> Copy for StoreContext<'_, P> {}

impl<'a, P: Platform> StoreContext<'a, P> {
    pub(super) fn objects(&self) -> &'a P::Objects {
        self.platform.objects()
    }

    /// Takes more memory, and returns whether it was free.
    pub(crate) fn grow_memory(&self, bytes: usize) -> bool {
        self.memory.grow(bytes, self.platform.now())
    }

    /// Returns memory that was taken with `grow_memory`.
    pub(crate) fn shrink_memory(&self, bytes: usize) {
        self.memory.shrink(bytes, self.platform.now());
    }

    /// Returns the key of the file.
    pub(super) fn video_key(&self) -> String {
        ObjectKey::SourceVideo { upload_uuid: self.names.upload_uuid.as_str() }.path()
    }

    /// Returns the key of the padded object, which stores a small file if there is no memory for it.
    pub(super) fn padded_key(&self) -> String {
        ObjectKey::SourcePadded { upload_uuid: self.names.upload_uuid.as_str() }.path()
    }
}
