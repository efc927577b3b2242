//! The HTTP client for the stack. Its addresses are plain HTTP, but in a build with the whole workspace the library
//! comes with TLS and without a provider of cryptography, and then refuses to make any client until there is one.

/// A client with the library's defaults.
pub fn client() -> reqwest::Client {
    // Whichever is installed already is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::new()
}
