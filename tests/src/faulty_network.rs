//! A proxy between a client and the Worker that cuts, resets, stalls or slows down a connection at a chosen byte.
//!
//! It carries one TCP connection, or each with faults of its own, and knows nothing about HTTP.

use crate::renamed_host::RenamedHost;
use anyhow::Result;
use futures_util::future::try_join;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, copy};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::task::{JoinHandle, JoinSet};

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
}

#[derive(Debug)]
pub struct FaultyNetwork {
    /// The address to which the client connects.
    pub address: String,
    signals: Arc<StallSignals>,
    carrier: JoinHandle<Result<()>>,
}

#[derive(Debug, Default)]
struct StallSignals {
    stalled: Notify,
    resumed: Notify,
}

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
        let signals = Arc::new(StallSignals::default());
        let carrier = carry(listener, target.to_owned(), faults, Arc::clone(&signals));
        Ok(Self { address, signals, carrier: tokio::spawn(carrier) })
    }

    /// Carries every connection to the target until this is dropped, each with the faults that are chosen for it.
    pub async fn to_each(target: &str, choose: impl FnMut() -> ConnectionFaults + Send + 'static) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?.to_string();
        let signals = Arc::default();
        let carrier = carry_each(listener, target.to_owned(), choose);
        Ok(Self { address, signals, carrier: tokio::spawn(carrier) })
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

async fn carry_each(listener: TcpListener, target: String, mut choose: impl FnMut() -> ConnectionFaults) -> Result<()> {
    // Aborts the connections when it is dropped.
    let mut connections = JoinSet::new();
    loop {
        let (client, _) = listener.accept().await?;
        connections.spawn(carry_connection(client, target.clone(), choose(), Arc::default()));
    }
}

async fn carry(
    listener: TcpListener,
    target: String,
    faults: ConnectionFaults,
    signals: Arc<StallSignals>,
) -> Result<()> {
    let (client, _) = listener.accept().await?;
    carry_connection(client, target, faults, signals).await
}

async fn carry_connection(
    mut client: TcpStream,
    target: String,
    faults: ConnectionFaults,
    signals: Arc<StallSignals>,
) -> Result<()> {
    let mut worker = TcpStream::connect(&target).await?;
    // Otherwise the system would collect single bytes before it sends them.
    worker.set_nodelay(true)?;
    let own_address = client.local_addr()?.to_string();
    let (from_client, to_client) = client.split();
    let from_client = RenamedHost::new(from_client, &own_address, &target);
    let (from_worker, to_worker) = worker.split();
    let forward = pump(from_client, to_worker, faults.request, &signals);
    let backward = pump(from_worker, to_client, faults.answer, &signals);
    if let Err(EarlyEnd::Reset) = try_join(forward, backward).await {
        // Closing them now sends RST.
        client.set_zero_linger()?;
        worker.set_zero_linger()?;
    }
    Ok(())
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
                    tokio::time::sleep(pause).await;
                    pass(&mut from, &mut to, 1).await?;
                }
                passed += bytes;
            }
            NetworkFault::StallAndCut(pause) => {
                tokio::time::sleep(pause).await;
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
