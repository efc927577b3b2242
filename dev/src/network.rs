//! Loopback ports and the HTTP client that talks to them.

use anyhow::Result;
use std::net::TcpListener;

/// Returns a port that nothing listens on at this moment.
pub fn free_port() -> Result<u16> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.port())
}

/// Returns an HTTP client with default settings.
///
/// The stack speaks plain HTTP only. In a build of the whole workspace, however, reqwest is compiled with TLS but
/// without a cryptography provider, and then no client can be created until a provider is installed.
pub fn http_client() -> reqwest::Client {
    // Fails if a provider is installed already; any provider will do.
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::new()
}
