//! Viewers who watch one video in a loop, with staggered starts.

use crate::playlist::{Segment, renditions, segments};
use crate::service::Service;
use crate::timings::Timings;
use anyhow::{Context, Result, ensure};
use reqwest::{Client, RequestBuilder};
use std::fmt;
use std::time::Duration;
use tokio::task::JoinSet;
use tokio::time::Instant;

/// The first viewer starts at once and the last one after this time.
const ARRIVAL: Duration = Duration::from_secs(10);
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Rung {
    Smallest,
    Largest,
}

pub(crate) struct Audience {
    client: Client,
    viewers: u32,
    page: String,
    /// The URLs of the playlists, and the folder of the segments.
    playlists: [String; 2],
    folder: String,
    segments: Vec<Segment>,
    bandwidth: u64,
}

impl Audience {
    /// Reads the playlists once, to know what each viewer will request.
    pub(crate) async fn of(service: &Service, viewers: u32, rung: Rung) -> Result<Self> {
        let (client, master) = (service.client.clone(), service.urls.hls.clone());
        let mut found = renditions(&text(&client, &master).await?);
        found.sort_unstable();
        let chosen = if rung == Rung::Smallest { found.first() } else { found.last() };
        let (bandwidth, name) = chosen.context("the video has no renditions")?;
        let folder = master.rsplit_once('/').context("a URL without a folder")?.0.to_owned();
        let playlist = format!("{folder}/{name}");
        let segments = segments(&text(&client, &playlist).await?)?;
        ensure!(segments.len() > 2, "only {} segments", segments.len());
        let (page, playlists) = (service.urls.page.clone(), [master, playlist]);
        Ok(Self { client, viewers, page, playlists, folder, segments, bandwidth: *bandwidth })
    }

    /// Lets all viewers watch for this long, and returns the times of all requests.
    pub(crate) async fn watch(&self, time: Duration) -> Result<Timings> {
        let start = Instant::now();
        let mut requests = JoinSet::new();
        for viewer in 0..self.viewers {
            for (after, request) in self.requests_of(ARRIVAL * viewer / self.viewers, time) {
                requests.spawn(async move {
                    at_its_time(start + after).await;
                    timed(start + after, request).await.map(|(taken, _)| taken)
                });
            }
        }
        Ok(Timings::of(requests.join_all().await))
    }

    /// Returns the requests of one viewer, and when each is due: the page, the playlists, and then each segment when
    /// the one before it has been played, again and again.
    fn requests_of(&self, arrival: Duration, time: Duration) -> Vec<(Duration, RequestBuilder)> {
        let get = |url: &str| self.client.get(url);
        let mut requests: Vec<_> =
            [&self.page, &self.playlists[0], &self.playlists[1]].into_iter().map(|url| (arrival, get(url))).collect();
        let mut at = arrival;
        for segment in self.segments.iter().cycle() {
            if at >= time {
                return requests;
            }
            let url = format!("{}/{}", self.folder, segment.file);
            requests.push((at, get(&url).header("Range", &segment.range)));
            at += segment.time;
        }
        requests
    }
}

impl fmt::Display for Audience {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} segments of {} kbit/s", self.segments.len(), self.bandwidth / 1000)
    }
}

/// Players and programs give up after this time.
const PATIENCE: Duration = Duration::from_secs(30);

pub(crate) async fn at_its_time(at: Instant) {
    tokio::time::sleep_until(at).await;
}

/// Sends a request that was due at this time, and returns the time until the whole response has arrived, and its
/// length. Anything but a success is a failure.
pub(crate) async fn timed(due: Instant, request: RequestBuilder) -> Result<(Duration, usize), String> {
    let failed = |error: reqwest::Error| if error.is_timeout() { "timeout".to_owned() } else { error.to_string() };
    let response = request.timeout(PATIENCE).send().await.map_err(failed)?;
    let status = response.status();
    let bytes = response.bytes().await.map_err(failed)?;
    if status.is_success() { Ok((due.elapsed(), bytes.len())) } else { Err(format!("status {status}")) }
}

async fn text(client: &Client, url: &str) -> Result<String> {
    Ok(client.get(url).send().await?.error_for_status()?.text().await?)
}
