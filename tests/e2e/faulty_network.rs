//! A network between a client and the Worker that does what bad networks do, at the byte where a test wants it.
//!
//! Carries one connection over the loopback, and knows nothing of what it carries.

use anyhow::Result;
use futures_util::future::try_join;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, copy};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::task::JoinHandle;

/// What is done to a connection.
#[derive(Clone, Debug)]
pub enum Fault {
    /// It ends in good order, as when a client gives up.
    Cut,
    /// It is torn down, as when a process is killed.
    Reset,
    /// Nothing passes any more until `FaultyNetwork::go_on`.
    Stall,
    /// So many bytes pass one by one, each after a pause.
    Drip { bytes: usize, pause: Duration },
}

/// Faults of one direction, each with the number of bytes that pass before it; in their order. None pass: at once.
pub type Faults = Vec<(usize, Fault)>;

/// What happens to the connection: on the way to the Worker, and on the way back.
#[derive(Clone, Debug, Default)]
pub struct Trouble {
    pub request: Faults,
    pub answer: Faults,
}

pub struct FaultyNetwork {
    /// Where the client connects to.
    pub address: String,
    signals: Arc<Signals>,
    carrying: JoinHandle<Result<()>>,
}

#[derive(Default)]
struct Signals {
    stalled: Notify,
    go_on: Notify,
}

/// Why a connection is not carried on.
enum End {
    Cut,
    Reset,
    /// One of the two is gone.
    Gone,
}

impl FaultyNetwork {
    /// Carries the next connection to the target.
    pub async fn to(target: &str, trouble: Trouble) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?.to_string();
        let signals = Arc::new(Signals::default());
        let carrying = carry(listener, target.to_owned(), trouble, Arc::clone(&signals));
        Ok(Self {
            address,
            signals,
            carrying: tokio::spawn(carrying),
        })
    }

    /// Returns when a stall has begun.
    pub async fn stalled(&self) {
        self.signals.stalled.notified().await;
    }

    pub fn go_on(&self) {
        self.signals.go_on.notify_one();
    }

    /// Returns when the connection has ended.
    pub async fn ended(self) -> Result<()> {
        self.carrying.await?
    }
}

async fn carry(
    listener: TcpListener,
    target: String,
    trouble: Trouble,
    signals: Arc<Signals>,
) -> Result<()> {
    let (mut client, _) = listener.accept().await?;
    let mut worker = TcpStream::connect(target).await?;
    // Otherwise single bytes would wait for each other.
    worker.set_nodelay(true)?;
    let (from_client, to_client) = client.split();
    let (from_worker, to_worker) = worker.split();
    let there = pump(from_client, to_worker, trouble.request, &signals);
    let back = pump(from_worker, to_client, trouble.answer, &signals);
    if let Err(End::Reset) = try_join(there, back).await {
        // Closed like this, they send RST.
        client.set_zero_linger()?;
        worker.set_zero_linger()?;
    }
    Ok(())
}

/// Carries one direction to its end, through its faults.
async fn pump(
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    faults: Faults,
    signals: &Signals,
) -> Result<(), End> {
    let (mut faults, mut passed) = (VecDeque::from(faults), 0);
    while let Some((after, fault)) = faults.pop_front() {
        pass(&mut from, &mut to, after - passed).await?;
        passed = after;
        match fault {
            Fault::Cut => return Err(End::Cut),
            Fault::Reset => return Err(End::Reset),
            Fault::Stall => {
                signals.stalled.notify_one();
                signals.go_on.notified().await;
            }
            Fault::Drip { bytes, pause } => {
                for _ in 0..bytes {
                    tokio::time::sleep(pause).await;
                    pass(&mut from, &mut to, 1).await?;
                }
                passed += bytes;
            }
        }
    }
    copy(&mut from, &mut to).await.map_err(|_| End::Gone)?;
    to.shutdown().await.map_err(|_| End::Gone)
}

/// Passes so many bytes, or fewer when there are no more.
async fn pass(
    from: &mut (impl AsyncRead + Unpin),
    to: &mut (impl AsyncWrite + Unpin),
    bytes: usize,
) -> Result<(), End> {
    let mut some = from.take(bytes as u64);
    let passed = copy(&mut some, to).await;
    passed.map(drop).map_err(|_| End::Gone)
}
