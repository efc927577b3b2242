//! The one HTTP client of this program. The only file that knows which cryptography TLS uses.

use std::time::Duration;

const CONNECT: Duration = Duration::from_secs(10);

/// A client that follows no redirect: nobody whom this program calls has a reason to send it elsewhere, with what it
/// carries. Each call sets its own time limit.
///
/// # Panics
/// When the machine's certificates cannot be loaded.
pub fn client() -> reqwest::Client {
    // An error says only that it is installed already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let builder = reqwest::Client::builder()
        .user_agent(concat!("clipgate-origin/", env!("CARGO_PKG_VERSION")))
        .redirect(reqwest::redirect::Policy::none())
        .connect_timeout(CONNECT);
    builder
        .build()
        .expect("a client with the machine's certificates")
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_client_can_be_made_more_than_once() {
        drop((super::client(), super::client()));
    }
}
