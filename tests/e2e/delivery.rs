//! The files of a published content, as players and browsers ask for them.

use crate::harness::{Answer, Harness, Suite, send};
use crate::shown::{FILES, Shown, bytes_of};
use anyhow::{Result, ensure};
use contract::{MediaFile, paths};
use reqwest::Method;
use std::sync::Arc;

pub fn register(suite: &mut Suite) {
    suite.add("delivery::every_file_comes_whole_with_its_type", whole);
    suite.add("delivery::ranges_come_as_browsers_ask_for_them", ranges);
    suite.add("delivery::head_tells_what_get_would", head);
    suite.add("delivery::what_a_client_has_is_not_sent_again", unchanged);
    suite.add("delivery::players_of_other_sites_may_read", players);
    suite.add(
        "delivery::wrong_names_are_one_and_the_same_404",
        wrong_names,
    );
    suite.add("delivery::a_large_file_streams_through", large);
}

async fn get(shown: &Shown, headers: &[(&str, &str)]) -> Result<Answer> {
    let mut request = shown.get(MediaFile::Video);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    send(request).await
}

async fn whole(harness: Arc<Harness>) -> Result<()> {
    let shown = Shown::published(&harness, "a clip").await?;
    for file in FILES {
        let answer = send(shown.get(file)).await?;
        ensure!(
            answer.status == 200 && answer.bytes == bytes_of(file),
            "{file}"
        );
        let length = bytes_of(file).len().to_string();
        for (name, expected) in [
            ("content-type", file.content_type()),
            ("content-length", &length),
            ("accept-ranges", "bytes"),
            (
                "cache-control",
                "public, max-age=31536000, s-maxage=60, immutable",
            ),
            ("x-content-type-options", "nosniff"),
            ("access-control-allow-origin", "*"),
            ("cross-origin-resource-policy", "cross-origin"),
        ] {
            ensure!(answer.header(name) == expected, "{file} {name}: {answer:?}");
        }
        let tag = answer.header("etag");
        ensure!(tag.starts_with('"') && tag.len() > 10, "{tag}");
        ensure!(!answer.header("x-request-id").is_empty());
    }
    Ok(())
}

async fn ranges(harness: Arc<Harness>) -> Result<()> {
    let shown = Shown::published(&harness, "ranges").await?;
    let video = bytes_of(MediaFile::Video);
    let size = video.len();
    for (range, first, last) in [
        ("bytes=0-", 0, size - 1),
        ("bytes=0-1", 0, 1),
        ("bytes=100000-", 100_000, size - 1),
        ("bytes=1000-70000", 1_000, 70_000),
        ("bytes=-500", size - 500, size - 1),
        ("bytes=299999-400000", size - 1, size - 1),
    ] {
        let answer = get(&shown, &[("Range", range)]).await?;
        ensure!(answer.status == 206, "{range}: {}", answer.status);
        ensure!(answer.bytes == video[first..=last], "{range}");
        let expected = format!("bytes {first}-{last}/{size}");
        ensure!(answer.header("content-range") == expected, "{range}");
        ensure!(answer.header("content-length") == (last - first + 1).to_string());
    }
    for range in ["bytes=300000-", "bytes=-0"] {
        let answer = get(&shown, &[("Range", range)]).await?;
        ensure!(answer.status == 416 && answer.bytes.is_empty(), "{range}");
        ensure!(answer.header("content-range") == format!("bytes */{size}"));
    }
    for range in ["bytes=0-1,5-6", "bytes=9-1", "lines=1-2", "nonsense"] {
        let answer = get(&shown, &[("Range", range)]).await?;
        ensure!(answer.status == 200 && answer.bytes == video, "{range}");
    }
    let tag = get(&shown, &[]).await?.header("etag").to_owned();
    let same = get(&shown, &[("Range", "bytes=0-9"), ("If-Range", &tag)]).await?;
    ensure!(same.status == 206 && same.bytes == video[..10]);
    let other = get(&shown, &[("Range", "bytes=0-9"), ("If-Range", "\"other\"")]).await?;
    ensure!(other.status == 200 && other.bytes == video);
    Ok(())
}

async fn head(harness: Arc<Harness>) -> Result<()> {
    let shown = Shown::published(&harness, "head").await?;
    for path in [
        shown.path(MediaFile::Video),
        shown.path(MediaFile::Poster),
        shown.page(),
    ] {
        let get = harness.get(&path).await?;
        let head = send(harness.request(Method::HEAD, &path)).await?;
        ensure!(head.status == 200 && head.bytes.is_empty(), "{head:?}");
        for name in [
            "content-type",
            "etag",
            "cache-control",
            "content-security-policy",
        ] {
            ensure!(
                head.header(name) == get.header(name),
                "{path} {name}: {head:?} {:?}",
                get.headers
            );
        }
    }
    let head = send(harness.request(Method::HEAD, &shown.path(MediaFile::Video))).await?;
    ensure!(head.header("content-length") == "300000", "{head:?}");
    let missing = send(harness.request(Method::HEAD, "/media/none.mp4")).await?;
    ensure!(
        missing.status == 404 && missing.bytes.is_empty(),
        "{missing:?}"
    );
    Ok(())
}

async fn unchanged(harness: Arc<Harness>) -> Result<()> {
    let shown = Shown::published(&harness, "unchanged").await?;
    let tag = get(&shown, &[]).await?.header("etag").to_owned();
    for known in [tag.as_str(), "*", &format!("\"x\", W/{tag}")] {
        let answer = get(&shown, &[("If-None-Match", known), ("Range", "bytes=0-1")]).await?;
        ensure!(
            answer.status == 304 && answer.bytes.is_empty(),
            "{known}: {answer:?}"
        );
        ensure!(answer.header("etag") == tag, "{answer:?}");
        ensure!(answer.header("cache-control").contains("s-maxage=60"));
    }
    let other = get(&shown, &[("If-None-Match", "\"other\"")]).await?;
    ensure!(other.status == 200);
    Ok(())
}

async fn players(harness: Arc<Harness>) -> Result<()> {
    let shown = Shown::published(&harness, "players").await?;
    let path = shown.path(MediaFile::MasterPlaylist);
    for path in [path.as_str(), "/media/none.mp4"] {
        let preflight = harness
            .request(Method::OPTIONS, path)
            .header("Origin", "https://player.example")
            .header("Access-Control-Request-Method", "GET")
            .header("Access-Control-Request-Headers", "range");
        let answer = send(preflight).await?;
        ensure!(answer.status == 204, "{answer:?}");
        ensure!(answer.header("access-control-allow-origin") == "*");
        ensure!(
            answer
                .header("access-control-allow-headers")
                .contains("Range")
        );
        ensure!(
            answer
                .header("access-control-allow-methods")
                .contains("GET")
        );
    }
    let part = get(
        &shown,
        &[("Origin", "https://player.example"), ("Range", "bytes=0-1")],
    )
    .await?;
    ensure!(
        part.header("access-control-expose-headers")
            .contains("Content-Range")
    );
    ensure!(part.header("access-control-allow-credentials").is_empty());
    let refused = send(harness.request(Method::POST, &shown.path(MediaFile::Video))).await?;
    ensure!(
        refused.status == 405 && refused.header("allow").contains("GET"),
        "{refused:?}"
    );
    Ok(())
}

async fn wrong_names(harness: Arc<Harness>) -> Result<()> {
    let shown = Shown::published(&harness, "names").await?;
    let waiting = Shown::upload(&harness, |form| form).await?;
    let stem = shown.stem();
    let content = &shown.job.content_uuid;
    let mut bodies = Vec::new();
    for path in [
        "/media/doesnotexistdoesnotexist.mp4".to_owned(),
        waiting.path(MediaFile::Video),
        waiting.path(MediaFile::Poster),
        format!("/media/{stem}"),
        format!("/media/{stem}/"),
        format!("/media/{stem}/source"),
        format!("/media/{stem}/hls/1080p.mp4"),
        format!("/media/{stem}/hls/"),
        format!("/media/{stem}/a/b/c"),
        format!("/media/{stem}/..%2f..%2fsources"),
        format!("/media/{content}/1/video.mp4"),
        format!("/media/{content}.mp4"),
        "/media/".to_owned(),
        format!("/sources/{content}/video"),
    ] {
        let answer = harness.get(&path).await?;
        ensure!(answer.status == 404, "{path}: {answer:?}");
        if path.starts_with(paths::MEDIA) {
            let mut headers = answer.headers.clone();
            for own in ["x-request-id", "date"] {
                headers.remove(own);
            }
            bodies.push((path, headers, answer.bytes));
        }
    }
    let first = &bodies[0];
    for other in &bodies {
        ensure!(
            (&other.1, &other.2) == (&first.1, &first.2),
            "{other:?} {first:?}"
        );
    }
    Ok(())
}

async fn large(harness: Arc<Harness>) -> Result<()> {
    const SIZE: usize = 40_000_000;
    let shown = Shown::upload(&harness, |form| form).await?;
    shown.job.take().await?;
    shown.store().await?;
    let key = format!("media/{}/1/video.mp4", shown.job.content_uuid);
    let bytes: Vec<u8> = bytes_of(MediaFile::Video)
        .into_iter()
        .cycle()
        .take(SIZE)
        .collect();
    harness.put_object(&key, bytes.clone()).await?;
    let mut outcome = shown.outcome(&[]);
    if let contract::job::JobOutcome::Processed { media, .. } = &mut outcome {
        media.files[0].size_bytes = SIZE as u64;
    }
    shown.job.report(outcome).await?;
    let readers = (0..6).map(|_| get(&shown, &[]));
    for answer in futures_util::future::join_all(readers).await {
        ensure!(answer?.bytes == bytes, "the bytes differ");
    }
    let tail = get(&shown, &[("Range", "bytes=-3")]).await?;
    ensure!(tail.bytes == bytes[SIZE - 3..]);
    Ok(())
}
