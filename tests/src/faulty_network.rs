//! A proxy between a client and the Worker that cuts, resets, stalls or slows down a connection at a chosen byte, or
//! cuts it after a chosen time.
//!
//! It carries one TCP connection, or several with separate faults, and knows nothing about HTTP.

use crate::renamed_host::RenamedHost;
use anyhow::Result;
use futures_util::future::try_join;
use std::collections::VecDeque;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadBuf, copy};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::{Instant, Sleep, sleep, timeout};

/// A fault of a connection.
#[derive(Clone, Debug)]
pub enum NetworkFault {
    /// The connection is closed in an orderly way, as when a client gives up.
    Cut,
    /// The connection is closed with RST, as when a process is killed.
    Reset,
    /// Nothing passes until `FaultyNetwork::resume`.
    Stall,
    /// Sends the given number of bytes one at a time, each after a pause.
    Drip { bytes: usize, pause: Duration },
    /// Nothing passes for this long, then it is closed.
    StallAndCut(Duration),
    /// These bytes arrive instead of the right ones, then it is closed.
    Lie(&'static [u8]),
}

/// The faults of one direction in their order, each with the number of bytes that pass before it.
pub type ScheduledFaults = Vec<(usize, NetworkFault)>;

/// The faults of a connection: on the way to the Worker, and on the way back.
#[derive(Clone, Debug, Default)]
pub struct ConnectionFaults {
    pub request: ScheduledFaults,
    pub answer: ScheduledFaults,
    /// The most bytes that pass to the Worker in a second.
    pub bytes_per_second: Option<u64>,
    /// The time after which it is closed in an orderly way. The Worker gets what has passed until then.
    pub lifetime: Option<Duration>,
}

/// The events in a network.
#[derive(Debug, Default)]
pub struct NetworkCounts {
    /// The bytes that clients have sent, with the heads of their requests.
    sent: AtomicU64,
    /// The connections that a fault has ended.
    broken: AtomicU64,
}

impl NetworkCounts {
    pub fn sent(&self) -> u64 {
        self.sent.load(Ordering::Relaxed)
    }

    pub fn broken(&self) -> u64 {
        self.broken.load(Ordering::Relaxed)
    }
}

#[derive(Debug)]
pub struct FaultyNetwork {
    /// The address to which the client connects.
    pub address: String,
    pub counts: Arc<NetworkCounts>,
    signals: Arc<StallSignals>,
    carrier: JoinHandle<Result<()>>,
}

#[derive(Debug, Default)]
struct StallSignals {
    stalled: Notify,
    resumed: Notify,
}

/// The pauses of a slow connection are too long by up to a millisecond each, and longer on a busy machine.
const CATCH_UP: Duration = Duration::from_millis(100);

/// The reason why a connection ended early.
enum EarlyEnd {
    Cut,
    Reset,
    /// The client or the Worker has closed it.
    PeerClosed,
}

impl FaultyNetwork {
    /// Carries the next connection to the target.
    pub async fn to(target: &str, faults: ConnectionFaults) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?.to_string();
        let (signals, counts) = (Arc::<StallSignals>::default(), Arc::<NetworkCounts>::default());
        let carrier = carry(listener, target.to_owned(), faults, Arc::clone(&signals), Arc::clone(&counts));
        Ok(Self { address, counts, signals, carrier: tokio::spawn(carrier) })
    }

    /// Carries every connection to the target until this is dropped, each with the faults that are chosen for it.
    pub async fn to_each(target: &str, choose: impl FnMut() -> ConnectionFaults + Send + 'static) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?.to_string();
        let (signals, counts) = (Arc::default(), Arc::<NetworkCounts>::default());
        let carrier = carry_each(listener, target.to_owned(), choose, Arc::clone(&counts));
        Ok(Self { address, counts, signals, carrier: tokio::spawn(carrier) })
    }

    /// Returns when a stall has begun.
    pub async fn stalled(&self) {
        self.signals.stalled.notified().await;
    }

    /// Ends a stall.
    pub fn resume(&self) {
        self.signals.resumed.notify_one();
    }

    /// Returns when the connection has ended.
    pub async fn ended(mut self) -> Result<()> {
        (&mut self.carrier).await?
    }
}

impl Drop for FaultyNetwork {
    fn drop(&mut self) {
        self.carrier.abort();
    }
}

async fn carry_each(
    listener: TcpListener,
    target: String,
    mut choose: impl FnMut() -> ConnectionFaults,
    counts: Arc<NetworkCounts>,
) -> Result<()> {
    // Aborts the connections when it is dropped.
    let mut connections = JoinSet::new();
    loop {
        let (client, _) = listener.accept().await?;
        connections.spawn(carry_connection(client, target.clone(), choose(), Arc::default(), Arc::clone(&counts)));
    }
}

async fn carry(
    listener: TcpListener,
    target: String,
    faults: ConnectionFaults,
    signals: Arc<StallSignals>,
    counts: Arc<NetworkCounts>,
) -> Result<()> {
    let (client, _) = listener.accept().await?;
    carry_connection(client, target, faults, signals, counts).await
}

async fn carry_connection(
    mut client: TcpStream,
    target: String,
    faults: ConnectionFaults,
    signals: Arc<StallSignals>,
    counts: Arc<NetworkCounts>,
) -> Result<()> {
    let mut worker = TcpStream::connect(&target).await?;
    // Otherwise the system would collect single bytes before it sends them.
    worker.set_nodelay(true)?;
    let own_address = client.local_addr()?.to_string();
    let (from_client, to_client) = client.split();
    let from_client = RenamedHost::new(from_client, &own_address, &target);
    let (from_worker, to_worker) = worker.split();
    let from_client = Metered::new(from_client, &counts, faults.bytes_per_second);
    let forward = pump(from_client, to_worker, faults.request, &signals);
    let backward = pump(from_worker, to_client, faults.answer, &signals);
    let both = try_join(forward, backward);
    let ended = match faults.lifetime {
        Some(lifetime) => timeout(lifetime, both).await.unwrap_or(Err(EarlyEnd::Cut)),
        None => both.await,
    };
    if matches!(ended, Err(EarlyEnd::Reset | EarlyEnd::Cut)) {
        counts.broken.fetch_add(1, Ordering::Relaxed);
    }
    if let Err(EarlyEnd::Reset) = ended {
        // Closing them now sends RST.
        client.set_zero_linger()?;
        worker.set_zero_linger()?;
    }
    Ok(())
}

/// Counts what is read, and reads no faster than allowed.
struct Metered<'a, Source> {
    source: Source,
    counts: &'a NetworkCounts,
    bytes_per_second: Option<u64>,
    /// The time until the bytes that were read have passed.
    passing: Pin<Box<Sleep>>,
}

impl<'a, Source> Metered<'a, Source> {
    fn new(source: Source, counts: &'a NetworkCounts, bytes_per_second: Option<u64>) -> Self {
        Self { source, counts, bytes_per_second, passing: Box::pin(sleep(Duration::ZERO)) }
    }
}

impl<Source: AsyncRead + Unpin> AsyncRead for Metered<'_, Source> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        ready!(self.passing.as_mut().poll(context));
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.source).poll_read(context, buffer))?;
        let read = (buffer.filled().len() - before) as u64;
        self.counts.sent.fetch_add(read, Ordering::Relaxed);
        if let Some(rate) = self.bytes_per_second {
            // A pause that was too long is made up for, unless it lasted for more than a moment.
            let begin = self.passing.deadline().max(Instant::now() - CATCH_UP);
            self.passing.as_mut().reset(begin + Duration::from_micros(read * 1_000_000 / rate));
        }
        Poll::Ready(Ok(()))
    }
}

/// Carries one direction to its end, through its faults.
async fn pump(
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    faults: ScheduledFaults,
    signals: &StallSignals,
) -> Result<(), EarlyEnd> {
    let (mut faults, mut passed) = (VecDeque::from(faults), 0);
    while let Some((after, fault)) = faults.pop_front() {
        pass(&mut from, &mut to, after - passed).await?;
        passed = after;
        match fault {
            NetworkFault::Cut => return Err(EarlyEnd::Cut),
            NetworkFault::Reset => return Err(EarlyEnd::Reset),
            NetworkFault::Stall => {
                signals.stalled.notify_one();
                signals.resumed.notified().await;
            }
            NetworkFault::Drip { bytes, pause } => {
                for _ in 0..bytes {
                    sleep(pause).await;
                    pass(&mut from, &mut to, 1).await?;
                }
                passed += bytes;
            }
            NetworkFault::StallAndCut(pause) => {
                sleep(pause).await;
                return Err(EarlyEnd::Cut);
            }
            NetworkFault::Lie(bytes) => {
                to.write_all(bytes).await.map_err(|_| EarlyEnd::PeerClosed)?;
                to.shutdown().await.map_err(|_| EarlyEnd::PeerClosed)?;
                return Err(EarlyEnd::Cut);
            }
        }
    }
    copy(&mut from, &mut to).await.map_err(|_| EarlyEnd::PeerClosed)?;
    to.shutdown().await.map_err(|_| EarlyEnd::PeerClosed)
}

/// Passes this many bytes, or fewer when there are no more.
async fn pass(
    from: &mut (impl AsyncRead + Unpin),
    to: &mut (impl AsyncWrite + Unpin),
    bytes: usize,
) -> Result<(), EarlyEnd> {
    let mut limited = from.take(bytes as u64);
    let passed = copy(&mut limited, to).await;
    passed.map(drop).map_err(|_| EarlyEnd::PeerClosed)
}
