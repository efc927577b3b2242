//! Receives the bytes of the file: counts, checks and hashes them, and passes them on to be stored.

use super::buffered::BufferedStore;
use super::part_plan::{BodyAhead, PartPlan};
use super::small::SmallStore;
use super::store_context::{SegmentOf, StoreContext};
use super::streamed::StreamedStore;
use crate::base::limits::SEGMENT_BYTES;
use crate::base::refusal::Refusal;
use crate::platform::Platform;
use crate::platform::digest::Digest;
use crate::platform::object_store::{ObjectStore, Segment};
use crate::uploads::roll_back::StoredLeftovers;
use contract::ErrorCode;
use probe::Media;
use probe::judge::{FileJudge, RefusedFile};

/// A complete file that was found to be a valid video.
pub(crate) struct ReceivedFile {
    pub media: Media,
    pub size_bytes: u64,
    pub sha256: String,
}

pub(crate) struct FileSink<'a, P: Platform> {
    context: StoreContext<'a, P>,
    /// The fewest bytes that the file of a valid form with the announced length can have.
    min_bytes: u64,
    max_bytes: u64,
    judge: FileJudge,
    digest: P::Digest,
    size_bytes: u64,
    /// The last bytes, which are not yet hashed and stored.
    segment: SegmentOf<P>,
    destination: Destination<'a, P>,
}

/// The destination of the bytes.
enum Destination<'a, P: Platform> {
    /// The file has not begun.
    Undecided,
    Streamed(StreamedStore<'a, P>),
    Small(SmallStore<'a, P>),
    Buffered(BufferedStore<'a, P>),
    /// The upload is a replay, so the file is only hashed. Objects that were stored before are removed.
    HashOnly(StoredLeftovers),
}

/// The rest of a valid file, not stored yet.
pub(crate) struct ObjectToStore<'a, P: Platform> {
    context: StoreContext<'a, P>,
    last: SegmentOf<P>,
    destination: Destination<'a, P>,
}

impl<'a, P: Platform> FileSink<'a, P> {
    pub(crate) fn new(context: StoreContext<'a, P>, max_bytes: u64) -> Self {
        Self {
            context,
            min_bytes: 0,
            max_bytes,
            judge: FileJudge::default(),
            digest: context.platform.digest(),
            size_bytes: 0,
            segment: context.platform.objects().segment(0),
            destination: Destination::Undecided,
        }
    }

    /// Begins the file. `ahead` is `None` if the length of the body is unknown.
    pub(crate) fn begin(&mut self, ahead: Option<BodyAhead>) {
        let mut capacity = SEGMENT_BYTES;
        if matches!(self.destination, Destination::Undecided) {
            if let Some(ahead) = ahead {
                capacity = usize::try_from(ahead.left).unwrap_or(usize::MAX).min(SEGMENT_BYTES);
                let plan = PartPlan::new(ahead, self.context.parts);
                self.min_bytes = plan.min_file_bytes();
                self.destination = Destination::planned(self.context, plan);
            } else {
                capacity = self.context.parts.smallest;
                self.destination = Destination::Buffered(BufferedStore::new(self.context));
            }
        }
        self.segment = self.context.platform.objects().segment(capacity);
    }

    /// Stops storing: from now on the file is only hashed.
    pub(crate) fn stop_storing(&mut self) {
        self.destination = Destination::HashOnly(self.leftovers());
    }

    /// Returns the objects that may be stored before the file is complete.
    pub(crate) fn leftovers(&self) -> StoredLeftovers {
        match &self.destination {
            Destination::Undecided => StoredLeftovers::default(),
            Destination::Streamed(store) => StoredLeftovers::unfinished(store.multipart_id()),
            Destination::Small(store) => {
                StoredLeftovers { may_be_complete: store.has_padded_object(), ..StoredLeftovers::default() }
            }
            Destination::Buffered(store) => StoredLeftovers::unfinished(store.multipart_id()),
            Destination::HashOnly(leftovers) => leftovers.clone(),
        }
    }

    /// Accepts the next bytes of the file, or refuses the file as soon as it is proven invalid.
    pub(crate) async fn write(&mut self, mut bytes: &[u8]) -> Result<(), Refusal> {
        self.size_bytes += bytes.len() as u64;
        if self.size_bytes > self.max_bytes {
            return Err(too_large(self.max_bytes));
        }
        if !matches!(self.destination, Destination::HashOnly(_)) {
            self.judge.feed(bytes).map_err(refused_file)?;
        }
        while !bytes.is_empty() {
            let room = self.room();
            // Pass on a full segment only when another byte follows, so that the last one is never empty.
            if room == 0 {
                self.pass_on().await?;
                self.fit_segment(bytes.len());
                continue;
            }
            let (now, later) = bytes.split_at(bytes.len().min(room));
            self.segment.append(now);
            bytes = later;
        }
        Ok(())
    }

    /// Ends the file. Refuses it if it is so short that no valid form with the announced length could contain it.
    pub(crate) fn end(&self) -> Result<(), Refusal> {
        if self.size_bytes >= self.min_bytes {
            return Ok(());
        }
        let detail = "The form has too many bytes after `file`. Send fewer, and a `Content-Length` that matches the \
                      body.";
        Err(Refusal::malformed(detail))
    }

    /// Returns the verdict and the hash of the whole file, and the object that is still to be stored.
    pub(crate) async fn close(mut self) -> Result<(ReceivedFile, ObjectToStore<'a, P>), Refusal> {
        let media = std::mem::take(&mut self.judge).finish().map_err(refused_file)?;
        self.digest.update(&self.segment).await?;
        let sha256 = self.digest.finish().await?;
        let received = ReceivedFile { media, size_bytes: self.size_bytes, sha256 };
        let object = ObjectToStore { context: self.context, last: self.segment, destination: self.destination };
        Ok((received, object))
    }

    /// Returns the hash of a replayed file. Its format is not checked, because the same bytes were checked when they
    /// first arrived.
    pub(crate) async fn into_hash(mut self) -> Result<String, Refusal> {
        self.digest.update(&self.segment).await?;
        Ok(self.digest.finish().await?)
    }

    /// Frees the memory that holds the file, if possible.
    pub(crate) async fn free_memory(&mut self) -> Result<(), Refusal> {
        match &mut self.destination {
            Destination::Small(store) => store.free_memory().await,
            Destination::Buffered(store) => store.free_memory().await,
            _ => Ok(()),
        }
    }

    /// Makes the empty segment as large as the chunks that arrive. The reader of the body accounts for its memory.
    fn fit_segment(&mut self, chunk_bytes: usize) {
        if chunk_bytes > self.segment.capacity() {
            self.segment = self.context.platform.objects().segment(chunk_bytes.next_power_of_two());
        }
    }

    /// Returns how many bytes the segment can still take.
    fn room(&self) -> usize {
        let capacity = match &self.destination {
            Destination::Streamed(store) => store.room().min(self.segment.capacity()),
            _ => self.segment.capacity(),
        };
        capacity.saturating_sub(self.segment.length())
    }

    /// Hashes and stores the bytes of the segment, and empties it.
    async fn pass_on(&mut self) -> Result<(), Refusal> {
        self.digest.update(&self.segment).await?;
        match &mut self.destination {
            Destination::Streamed(store) => store.take(&mut self.segment).await,
            Destination::Small(store) => store.take(&mut self.segment).await,
            Destination::Buffered(store) => store.take(&mut self.segment).await,
            Destination::Undecided | Destination::HashOnly(_) => {
                self.segment.clear();
                Ok(())
            }
        }
    }
}

impl<'a, P: Platform> Destination<'a, P> {
    fn planned(context: StoreContext<'a, P>, plan: PartPlan) -> Self {
        if plan.has_streamed_parts() {
            Self::Streamed(StreamedStore::new(context, plan))
        } else {
            Self::Small(SmallStore::new(context, plan.max_tail_bytes()))
        }
    }
}

impl<P: Platform> ObjectToStore<'_, P> {
    /// Renews the lease if it is due, so that the sweep leaves the object alone, then completes the object.
    pub(crate) async fn store(self) -> Result<(), Refusal> {
        self.context.lease.keep().await?;
        match self.destination {
            Destination::Streamed(store) => store.finish(self.last).await,
            Destination::Small(store) => store.finish(self.last).await,
            Destination::Buffered(store) => store.finish(self.last).await,
            Destination::Undecided | Destination::HashOnly(_) => Ok(()),
        }
    }
}

pub(crate) fn refused_file(file: RefusedFile) -> Refusal {
    Refusal::new(file.code).with_field("file").with_detail(file.detail)
}

pub(crate) fn too_large(max_bytes: u64) -> Refusal {
    let detail =
        format!("The video is larger than {max_bytes} bytes, the maximum of the service. Send a smaller file.");
    Refusal::new(ErrorCode::ContentFileTooLarge).with_field("file").with_detail(detail)
}
