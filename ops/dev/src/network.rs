//! Loopback ports and the HTTP client that talks to them.

use anyhow::{Context, Result};
use std::net::TcpListener;
use std::ops::Range;
use std::time::Duration;

/// The local runtime closes a connection that is idle for 15 seconds. A request that is sent at that moment fails with
/// "connection reset by peer", so clients drop idle connections long before.
const MAX_IDLE: Duration = Duration::from_secs(5);

/// Systems give outgoing connections higher ports (Linux from 32768 on), so they do not take a free port of this range.
const LISTENING_PORTS: Range<u16> = 20_000..32_000;

/// Returns a random port that nothing listens on at this moment.
pub fn free_port() -> Result<u16> {
    let count = LISTENING_PORTS.len();
    let begin = usize::try_from(getrandom::u32()?)? % count;
    let mut ports = LISTENING_PORTS.cycle().skip(begin).take(count);
    ports.find(|port| TcpListener::bind(("127.0.0.1", *port)).is_ok()).context("no port is free")
}

/// Returns an HTTP client for the local stack.
///
/// The stack speaks plain HTTP only. In a build of the whole workspace, however, reqwest is compiled with TLS but
/// without a cryptography provider, and then no client can be created until a provider is installed.
#[expect(
    clippy::expect_used,
    clippy::missing_panics_doc,
    reason = "like `reqwest::Client::new`, which panics for the same reason"
)]
pub fn http_client() -> reqwest::Client {
    native::install_crypto_provider();
    reqwest::Client::builder().pool_idle_timeout(MAX_IDLE).build().expect("a client with constant settings")
}
