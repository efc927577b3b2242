//! Replaces the host in requests through a proxy by the service's own, because the service refuses other hosts.

use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, ReadBuf, Result};

/// Replaces an address by another of the same length. A client sends the head of a request at once, so the address is
/// never split between two reads.
#[derive(Debug)]
pub(crate) struct RenamedHost<Source> {
    source: Source,
    from: Vec<u8>,
    to: Vec<u8>,
}

impl<Source> RenamedHost<Source> {
    /// Returns the source as it is if the addresses have different lengths.
    pub(crate) fn new(source: Source, from: &str, to: &str) -> Self {
        let to = if from.len() == to.len() { to } else { from };
        Self { source, from: from.into(), to: to.into() }
    }
}

impl<Source: AsyncRead + Unpin> AsyncRead for RenamedHost<Source> {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.source).poll_read(context, buffer))?;
        let read = &mut buffer.filled_mut()[before..];
        let place = read.windows(self.from.len()).position(|window| window == self.from);
        if let Some(place) = place {
            read[place..place + self.to.len()].copy_from_slice(&self.to);
        }
        Poll::Ready(Ok(()))
    }
}
