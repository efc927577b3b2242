//! An object store in memory. It enforces R2's rules about the parts of an object.

use super::FakePlatform;
use super::object_writer::FakeWriter;
use super::world::{Target, tag};
use crate::platform::error::PlatformError;
use crate::platform::object_store::{
    ByteRange, DELETE_LENGTH, DESCRIPTIONS_LENGTH, DescribedObject, DescriptionList, LIST_LENGTH, ObjectStore,
    PartAddress, Segment, StoredPart,
};
use axum::body::Bytes;
use futures_util::stream::{self, Iter};
use std::collections::BTreeMap;
use std::pin::Pin;
use std::vec::IntoIter;

impl ObjectStore for FakePlatform {
    type Segment = Vec<u8>;
    type Writer = FakeWriter;
    type Sending = Pin<Box<dyn Future<Output = Result<(String, Vec<u8>), PlatformError>>>>;

    type Reading = Iter<IntoIter<Result<Bytes, PlatformError>>>;

    fn segment(&self, capacity: usize) -> Vec<u8> {
        Vec::with_capacity(capacity)
    }

    async fn put(&self, key: &str, segments: &[Vec<u8>]) -> Result<(), PlatformError> {
        self.yield_once().await;
        let apply = || {
            self.world.objects.borrow_mut().insert(key.to_owned(), segments.concat());
            Ok(())
        };
        self.operate(apply, PlatformError::Failed).answer().await
    }

    async fn start_multipart(&self, _key: &str) -> Result<String, PlatformError> {
        self.yield_once().await;
        let apply = || {
            let number = self.world.next_multipart.get();
            self.world.next_multipart.set(number + 1);
            let id = format!("multipart-{number}");
            self.world.multiparts.borrow_mut().insert(id.clone(), BTreeMap::new());
            Ok(id)
        };
        self.operate(apply, PlatformError::Failed).answer().await
    }

    fn send_part(&self, part: PartAddress<'_>, bytes: Vec<u8>) -> Self::Sending {
        let target = Target::part(part);
        // The operation runs when it is called, like the runtime's promises. The future only waits for the result.
        let operation = self.operate(|| self.world.store(&target, &bytes), PlatformError::Failed);
        Box::pin(async move { Ok((operation.answer().await?, bytes)) })
    }

    fn open_part(&self, part: PartAddress<'_>, length: u64) -> Result<FakeWriter, PlatformError> {
        Ok(FakeWriter::new(self, Target::part(part), length))
    }

    fn open_object(&self, key: &str, length: u64) -> Result<FakeWriter, PlatformError> {
        Ok(FakeWriter::new(self, Target::Object(key.to_owned()), length))
    }

    async fn copy_to_part(&self, from: &str, bytes: ByteRange, to: PartAddress<'_>) -> Result<String, PlatformError> {
        self.copy(from, bytes, &Target::part(to)).await
    }

    async fn copy_to_object(&self, from: &str, bytes: ByteRange, to: &str) -> Result<(), PlatformError> {
        self.copy(from, bytes, &Target::Object(to.to_owned())).await.map(drop)
    }

    async fn complete(&self, key: &str, multipart_id: &str, parts: &[StoredPart]) -> Result<(), PlatformError> {
        self.yield_once().await;
        let apply = || {
            let gone = || PlatformError::Failed("no such upload".to_owned());
            let mut stored = self.world.multiparts.borrow().get(multipart_id).cloned().ok_or_else(gone)?;
            assert!(parts.is_sorted_by_key(|part| part.number), "parts in order");
            // Parts that are not listed are dropped.
            stored.retain(|number, _| parts.iter().any(|part| part.number == *number));
            let is_listed = |part: &StoredPart| stored.get(&part.number).is_some_and(|bytes| tag(bytes) == part.etag);
            if !parts.iter().all(is_listed) {
                return Err(PlatformError::Failed("a part is missing or was replaced".to_owned()));
            }
            assert!(equal_but_the_last(&stored), "R2 requires parts of equal size");
            self.world.multiparts.borrow_mut().remove(multipart_id);
            let whole = stored.into_values().collect::<Vec<_>>().concat();
            self.world.objects.borrow_mut().insert(key.to_owned(), whole);
            Ok(())
        };
        self.operate(apply, PlatformError::Failed).answer().await
    }

    async fn abort(&self, _key: &str, multipart_id: &str) -> Result<(), PlatformError> {
        self.yield_once().await;
        let apply = || {
            self.world.multiparts.borrow_mut().remove(multipart_id);
            Ok(())
        };
        self.operate(apply, PlatformError::Failed).answer().await
    }

    async fn delete(&self, keys: &[String]) -> Result<(), PlatformError> {
        self.yield_once().await;
        assert!(keys.len() <= DELETE_LENGTH, "{} keys at once", keys.len());
        let apply = || {
            keys.iter().try_for_each(|key| self.world.ensure_works(key))?;
            self.world.objects.borrow_mut().retain(|key, _| !keys.contains(key));
            Ok(())
        };
        self.operate(apply, PlatformError::Failed).answer().await
    }

    async fn read(&self, key: &str, bytes: ByteRange) -> Result<Self::Reading, PlatformError> {
        self.yield_once().await;
        let apply = || self.world.range(key, bytes);
        let bytes = self.operate(apply, PlatformError::Failed).answer().await?;
        let chunks: Vec<_> = bytes.chunks(7_000).map(|chunk| Ok(Bytes::copy_from_slice(chunk))).collect();
        Ok(stream::iter(chunks))
    }

    async fn read_whole(&self, key: &str) -> Result<Option<Vec<u8>>, PlatformError> {
        self.yield_once().await;
        self.operate(|| Ok(self.world.objects.borrow().get(key).cloned()), PlatformError::Failed).answer().await
    }

    async fn list_sizes(&self, prefix: &str) -> Result<Vec<(String, u64)>, PlatformError> {
        self.yield_once().await;
        let apply = || {
            let objects = self.world.objects.borrow();
            let found = objects.iter().filter(|(key, _)| key.starts_with(prefix));
            Ok(found.take(LIST_LENGTH).map(|(key, bytes)| (key.clone(), bytes.len() as u64)).collect())
        };
        self.operate(apply, PlatformError::Failed).answer().await
    }

    async fn list(&self, prefix: &str) -> Result<Vec<String>, PlatformError> {
        self.list_after(prefix, "").await
    }

    async fn list_after(&self, prefix: &str, after: &str) -> Result<Vec<String>, PlatformError> {
        self.yield_once().await;
        let apply = || {
            self.world.ensure_works(prefix)?;
            let objects = self.world.objects.borrow();
            let names = objects.keys().filter(|key| key.starts_with(prefix) && key.as_str() > after);
            Ok(names.take(LIST_LENGTH).cloned().collect())
        };
        self.operate(apply, PlatformError::Failed).answer().await
    }

    async fn put_description(&self, key: &str, description: &str) -> Result<(), PlatformError> {
        self.yield_once().await;
        assert!(description.is_ascii() && description.len() <= 8_000, "{description}");
        let apply = || {
            self.world.objects.borrow_mut().insert(key.to_owned(), Vec::new());
            self.world.descriptions.borrow_mut().insert(key.to_owned(), description.to_owned());
            Ok(())
        };
        self.operate(apply, PlatformError::Failed).answer().await
    }

    async fn list_descriptions(&self, prefix: &str, after: &str) -> Result<DescriptionList, PlatformError> {
        self.yield_once().await;
        let apply = || {
            self.world.ensure_works(prefix)?;
            let (objects, descriptions) = (self.world.objects.borrow(), self.world.descriptions.borrow());
            let names = objects.keys().filter(|key| key.starts_with(prefix) && key.as_str() > after);
            let described =
                |key: &String| DescribedObject { key: key.clone(), description: descriptions.get(key).cloned() };
            let objects: Vec<_> = names.clone().take(DESCRIPTIONS_LENGTH).map(described).collect();
            Ok(DescriptionList { has_more: names.count() > objects.len(), objects })
        };
        self.operate(apply, PlatformError::Failed).answer().await
    }
}

fn equal_but_the_last(parts: &BTreeMap<u16, Vec<u8>>) -> bool {
    let sizes: Vec<usize> = parts.values().map(Vec::len).collect();
    let equal = sizes.windows(2).rev().skip(1).all(|pair| pair[0] == pair[1]);
    let last_fits = sizes.last().is_some_and(|last| *last > 0 && *last <= sizes[0]);
    equal && last_fits
}

impl FakePlatform {
    async fn copy(&self, from: &str, bytes: ByteRange, to: &Target) -> Result<String, PlatformError> {
        self.yield_once().await;
        let apply = || {
            let source = self.world.range(from, bytes)?;
            self.world.store(to, &source)
        };
        self.operate(apply, PlatformError::Failed).answer().await
    }
}

impl Segment for Vec<u8> {
    fn append(&mut self, bytes: &[u8]) {
        assert!(self.len() + bytes.len() <= Self::capacity(self), "the memory of a segment does not grow");
        self.extend_from_slice(bytes);
    }

    fn clear(&mut self) {
        Self::clear(self);
    }

    fn length(&self) -> usize {
        self.len()
    }

    fn capacity(&self) -> usize {
        Self::capacity(self)
    }
}
