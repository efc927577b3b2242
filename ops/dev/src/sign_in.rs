//! The sign-in page of the site, which a local stack does not have: whoever opens it is signed in as the first account,
//! or as a moderator if it leads to the desk.
//!
//! It does what docs/sessions.md asks of the site's back end. It listens on the loopback interface only, next to the
//! Worker, which has no such route in any build. Browsers do not separate cookies by port, so they send the cookie to
//! the Worker too.

use crate::seed;
use anyhow::{Context, Result};
use contract::paths;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio::time::timeout;

const PATH: &str = "/sign-in";
const ACCOUNT: u64 = 1;
/// The time for a request and its response, and the most bytes that are read of it.
const PATIENCE: Duration = Duration::from_secs(10);
const MAX_REQUEST_BYTES: u64 = 16 * 1024;

/// The running page. Dropping it closes it.
#[derive(Debug)]
pub(crate) struct SignInPage(JoinHandle<()>);

impl Drop for SignInPage {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Reserves a port for the page. Returns its address too.
pub(crate) async fn bind() -> Result<(TcpListener, String)> {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.context("opening a port for the sign-in page")?;
    let address = format!("http://{}{PATH}", listener.local_addr()?);
    Ok((listener, address))
}

/// Serves the page. It redirects to addresses below `base` only.
pub(crate) fn serve(listener: TcpListener, base: String, tokens: Tokens) -> SignInPage {
    SignInPage(tokio::spawn(async move {
        loop {
            // A connection that cannot be accepted or answered is the browser's to repeat.
            if let Ok((connection, _)) = listener.accept().await {
                let _ = timeout(PATIENCE, answer(connection, &base, &tokens)).await;
            }
        }
    }))
}

/// The operator's secrets that signing in needs.
pub(crate) struct Tokens {
    pub service: String,
    pub admin: String,
}

async fn answer(mut connection: TcpStream, base: &str, tokens: &Tokens) -> Result<()> {
    let response = match return_address(&read_target(&mut connection).await?, base) {
        Some(address) => {
            let cookie = if leads_to_desk(&address, base) {
                seed::sign_in_at_desk(base, &tokens.admin).await?
            } else {
                seed::create_session(base, &tokens.service, ACCOUNT).await?
            };
            format!(
                "HTTP/1.1 303 See Other\r\nLocation: {address}\r\n\
                 Set-Cookie: {cookie}; Path=/; Secure; HttpOnly; SameSite=Strict\r\n"
            )
        }
        None => "HTTP/1.1 404 Not Found\r\n".to_owned(),
    };
    let rest = "Cache-Control: no-store\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
    connection.write_all(format!("{response}{rest}").as_bytes()).await?;
    Ok(connection.shutdown().await?)
}

fn leads_to_desk(address: &str, base: &str) -> bool {
    address.strip_prefix(base).is_some_and(|path| path == paths::DESK || path.starts_with(paths::DESK_FILES))
}

/// Reads a request and returns its target. All of it is read, because closing a connection with unread bytes resets it.
async fn read_target(connection: &mut TcpStream) -> Result<String> {
    let mut lines = BufReader::new(connection.take(MAX_REQUEST_BYTES)).lines();
    let first = lines.next_line().await?.unwrap_or_default();
    while lines.next_line().await?.is_some_and(|line| !line.is_empty()) {}
    let mut words = first.split(' ');
    Ok(words.nth(1).filter(|_| first.starts_with("GET ")).unwrap_or_default().to_owned())
}

/// Returns the address to which the page redirects, or `None` if the request is for another path. If `return_to` is
/// outside the stack, this is the address of the console.
fn return_address(target: &str, base: &str) -> Option<String> {
    let url = reqwest::Url::parse(base).ok()?.join(target).ok()?;
    if url.path() != PATH {
        return None;
    }
    let wanted = url.query_pairs().find(|(name, _)| name == "return_to").map(|(_, value)| value.into_owned());
    let wanted = wanted.and_then(|wanted| reqwest::Url::parse(&wanted).ok()).map(String::from);
    // A parsed URL has no control characters, so it cannot end the header.
    let own = wanted.filter(|wanted| wanted.starts_with(&format!("{base}/")));
    Some(own.unwrap_or_else(|| format!("{base}{}", paths::CONSOLE)))
}

#[cfg(test)]
mod tests {
    use super::{leads_to_desk, return_address};

    #[test]
    fn only_addresses_of_the_desk_sign_a_moderator_in() {
        let base = "http://127.0.0.1:8787";
        for (path, expected) in [("/desk", true), ("/desk/video/a", true), ("/deskx", false), ("/console", false)] {
            assert_eq!(leads_to_desk(&format!("{base}{path}"), base), expected, "{path}");
        }
    }

    #[test]
    fn the_page_leads_back_into_the_stack_only() {
        let base = "http://127.0.0.1:8787";
        let console = format!("{base}/console");
        for (target, expected) in [
            ("/sign-in", Some(console.clone())),
            ("/sign-in?return_to=http%3A%2F%2F127.0.0.1%3A8787%2Fconsole%2Fkey", Some(format!("{console}/key"))),
            ("/sign-in?return_to=https%3A%2F%2Fevil.example%2F", Some(console.clone())),
            ("/sign-in?return_to=http%3A%2F%2F127.0.0.1%3A8787%40evil.example%2F", Some(console.clone())),
            ("/sign-in?return_to=http%3A%2F%2F127.0.0.1%3A87870%2F", Some(console.clone())),
            (
                "/sign-in?return_to=http%3A%2F%2F127.0.0.1%3A8787%2F%0D%0ASet-Cookie%3A%20x%3D1",
                Some(format!("{base}/Set-Cookie:%20x=1")),
            ),
            ("/other", None),
            ("", None),
        ] {
            assert_eq!(return_address(target, base), expected, "{target}");
        }
    }
}
