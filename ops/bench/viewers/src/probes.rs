//! The load on other users: requests with a key, and small uploads, at a steady rate.

use crate::service::Service;
use crate::timings::Timings;
use crate::viewers::{at_its_time, timed};
use anyhow::Result;
use contract::paths;
use fixtures::Form;
use futures_util::future::join_all;
use reqwest::{Method, RequestBuilder};
use std::time::Duration;
use tokio::time::Instant;

const BETWEEN_KEYS: Duration = Duration::from_millis(100);
const BETWEEN_UPLOADS: Duration = Duration::from_millis(500);

pub(crate) struct Probes {
    pub keys: Timings,
    pub uploads: Timings,
}

impl Probes {
    /// Sends the requests for this long, each at its time.
    pub(crate) async fn run(service: &Service, time: Duration) -> Result<Self> {
        let start = Instant::now();
        let times = |between: Duration| (0..).map(move |number| between * number).take_while(move |at| *at < time);
        let keys = times(BETWEEN_KEYS).map(|at| probe(start + at, service.with_key(Method::GET, paths::UPLOAD_LIMITS)));
        let uploads = times(BETWEEN_UPLOADS).enumerate().map(|(number, at)| probe(start + at, upload(service, number)));
        let (keys, uploads) = tokio::join!(join_all(keys), join_all(uploads));
        Ok(Self { keys: Timings::of(keys), uploads: Timings::of(uploads) })
    }
}

async fn probe(at: Instant, request: RequestBuilder) -> Result<Duration, String> {
    at_its_time(at).await;
    timed(at, request).await.map(|(taken, _)| taken)
}

fn upload(service: &Service, number: usize) -> RequestBuilder {
    // No two uploads have the same bytes.
    let video = fixtures::mp4(5_000, 20_000 + number, 1);
    let form = Form::new().file("file", "clip.mp4", &video);
    let request = service.with_key(Method::POST, paths::UPLOAD_VIDEO);
    request.header("Content-Type", Form::content_type()).body(form.body())
}
