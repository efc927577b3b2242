//! The media files of a published content, as players and browsers request them.

use anyhow::{Result, ensure};
use contract::{MediaFile, paths};
use reqwest::Method;
use std::sync::Arc;
use tests::{HttpAnswer, TestContent, TestStack, all_media_files, bytes_of, e2e, send};

/// A video of 40 MB, so that four viewers together need more than the 128 MB of an isolate.
const LARGE_FILE_REPEATS: usize = 134;

async fn get(content: &TestContent, headers: &[(&str, &str)]) -> Result<HttpAnswer> {
    let mut request = content.get(MediaFile::Video);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    send(request).await
}

#[e2e]
async fn every_media_file_is_served_whole_with_its_headers(stack: Arc<TestStack>) -> Result<()> {
    let content = TestContent::published(&stack, "a clip").await?;
    for file in all_media_files() {
        let answer = send(content.get(file)).await?;
        ensure!(answer.status == 200 && answer.bytes == bytes_of(file), "{file}");
        let length = bytes_of(file).len().to_string();
        for (name, expected) in [
            ("content-type", file.content_type()),
            ("content-length", &length),
            ("accept-ranges", "bytes"),
            ("cache-control", "public, max-age=60, must-revalidate"),
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

/// Every read of R2 goes through the one counter, so that its cost shows in the log.
#[e2e(Uncached)]
async fn a_viewer_costs_one_d1_batch_and_one_r2_read(stack: Arc<TestStack>) -> Result<()> {
    let content = TestContent::published(&stack, "counted").await?;
    for (range, status) in [("bytes=0-", 206), ("bytes=10-20", 206), ("", 200)] {
        let headers = [("Range", range)];
        let answer = get(&content, if range.is_empty() { &[] } else { &headers }).await?;
        ensure!(answer.status == status, "{range}: {answer:?}");
        let logged = stack.logged(answer.header("x-request-id")).await?;
        ensure!(logged["d1_batches"] == 1 && logged["r2_operations"] == 1, "{range}: {logged:#?}");
    }
    Ok(())
}

#[e2e(Uncached)]
async fn a_client_that_has_the_file_costs_no_r2_read(stack: Arc<TestStack>) -> Result<()> {
    let content = TestContent::published(&stack, "known").await?;
    let tag = get(&content, &[]).await?.header("etag").to_owned();
    let known = get(&content, &[("If-None-Match", &tag)]).await?;
    let head = send(stack.request(Method::HEAD, &content.path(MediaFile::Video))).await?;
    for (answer, status) in [(known, 304), (head, 200)] {
        ensure!(answer.status == status, "{answer:?}");
        let logged = stack.logged(answer.header("x-request-id")).await?;
        ensure!(logged["d1_batches"] == 1 && logged["r2_operations"] == 0, "{status}: {logged:#?}");
    }
    Ok(())
}

#[e2e(Uncached)]
async fn byte_ranges_are_served_as_browsers_request_them(stack: Arc<TestStack>) -> Result<()> {
    let content = TestContent::published(&stack, "ranges").await?;
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
        let answer = get(&content, &[("Range", range)]).await?;
        ensure!(answer.status == 206, "{range}: {}", answer.status);
        ensure!(answer.bytes == video[first..=last], "{range}");
        let expected = format!("bytes {first}-{last}/{size}");
        ensure!(answer.header("content-range") == expected, "{range}");
        ensure!(answer.header("content-length") == (last - first + 1).to_string());
    }
    for range in ["bytes=300000-", "bytes=-0"] {
        let answer = get(&content, &[("Range", range)]).await?;
        ensure!(answer.status == 416 && answer.bytes.is_empty(), "{range}");
        ensure!(answer.header("content-range") == format!("bytes */{size}"));
    }
    for range in ["bytes=0-1,5-6", "bytes=9-1", "lines=1-2", "nonsense"] {
        let answer = get(&content, &[("Range", range)]).await?;
        ensure!(answer.status == 200 && answer.bytes == video, "{range}");
    }
    let tag = get(&content, &[]).await?.header("etag").to_owned();
    let same = get(&content, &[("Range", "bytes=0-9"), ("If-Range", &tag)]).await?;
    ensure!(same.status == 206 && same.bytes == video[..10]);
    let other = get(&content, &[("Range", "bytes=0-9"), ("If-Range", "\"other\"")]).await?;
    ensure!(other.status == 200 && other.bytes == video);
    Ok(())
}

#[e2e]
async fn head_has_the_same_headers_as_get(stack: Arc<TestStack>) -> Result<()> {
    let content = TestContent::published(&stack, "head").await?;
    for path in [content.path(MediaFile::Video), content.path(MediaFile::Poster), content.page()] {
        let get = stack.get(&path).await?;
        let head = send(stack.request(Method::HEAD, &path)).await?;
        ensure!(head.status == 200 && head.bytes.is_empty(), "{head:?}");
        for name in ["content-type", "etag", "cache-control", "content-security-policy"] {
            ensure!(head.header(name) == get.header(name), "{path} {name}: {head:?} {:?}", get.headers);
        }
    }
    let head = send(stack.request(Method::HEAD, &content.path(MediaFile::Video))).await?;
    ensure!(head.header("content-length") == "300000", "{head:?}");
    let missing = send(stack.request(Method::HEAD, "/media/none.mp4")).await?;
    ensure!(missing.status == 404 && missing.bytes.is_empty(), "{missing:?}");
    Ok(())
}

#[e2e(Uncached)]
async fn a_cached_file_is_answered_with_304(stack: Arc<TestStack>) -> Result<()> {
    let content = TestContent::published(&stack, "unchanged").await?;
    let tag = get(&content, &[]).await?.header("etag").to_owned();
    for known in [tag.as_str(), "*", &format!("\"x\", W/{tag}")] {
        let answer = get(&content, &[("If-None-Match", known), ("Range", "bytes=0-1")]).await?;
        ensure!(answer.status == 304 && answer.bytes.is_empty(), "{known}: {answer:?}");
        ensure!(answer.header("etag") == tag, "{answer:?}");
        ensure!(answer.header("cache-control").starts_with("public, max-age=60"));
    }
    let other = get(&content, &[("If-None-Match", "\"other\"")]).await?;
    ensure!(other.status == 200);
    Ok(())
}

#[e2e]
async fn players_on_other_sites_may_read_media(stack: Arc<TestStack>) -> Result<()> {
    let content = TestContent::published(&stack, "players").await?;
    let path = content.path(MediaFile::MasterPlaylist);
    for path in [path.as_str(), "/media/none.mp4"] {
        let preflight = stack
            .request(Method::OPTIONS, path)
            .header("Origin", "https://player.example")
            .header("Access-Control-Request-Method", "GET")
            .header("Access-Control-Request-Headers", "range");
        let answer = send(preflight).await?;
        ensure!(answer.status == 204, "{answer:?}");
        ensure!(answer.header("access-control-allow-origin") == "*");
        ensure!(answer.header("access-control-allow-headers").contains("Range"));
        ensure!(answer.header("access-control-allow-methods").contains("GET"));
    }
    let part = get(&content, &[("Origin", "https://player.example"), ("Range", "bytes=0-1")]).await?;
    ensure!(part.header("access-control-expose-headers").contains("Content-Range"));
    ensure!(part.header("access-control-allow-credentials").is_empty());
    let refused = send(stack.request(Method::POST, &content.path(MediaFile::Video))).await?;
    ensure!(refused.status == 405 && refused.header("allow").contains("GET"), "{refused:?}");
    Ok(())
}

#[e2e(Uncached)]
async fn every_wrong_media_path_gets_the_same_404(stack: Arc<TestStack>) -> Result<()> {
    let content = TestContent::published(&stack, "names").await?;
    let waiting = TestContent::upload(&stack, |form| form).await?;
    let stem = content.stem();
    let uuid = &content.job.content_uuid;
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
        format!("/media/{uuid}/1/video.mp4"),
        format!("/media/{uuid}.mp4"),
        "/media/".to_owned(),
        format!("/sources/{uuid}/video"),
    ] {
        let answer = stack.get(&path).await?;
        ensure!(answer.status == 404, "{path}: {answer:?}");
        if path.starts_with(paths::MEDIA) {
            let mut headers = answer.headers.clone();
            for name in ["x-request-id", "date"] {
                headers.remove(name);
            }
            bodies.push((path, headers, answer.bytes));
        }
    }
    let first = &bodies[0];
    for other in &bodies {
        ensure!((&other.1, &other.2) == (&first.1, &first.2), "{other:?} {first:?}");
    }
    Ok(())
}

#[e2e]
async fn a_large_file_is_streamed_to_several_viewers(stack: Arc<TestStack>) -> Result<()> {
    let content = TestContent::upload(&stack, |form| form).await?;
    content.job.claim_granted().await?;
    content.store().await?;
    let key = format!("media/{}/1/video.mp4", content.job.content_uuid);
    let bytes = bytes_of(MediaFile::Video).repeat(LARGE_FILE_REPEATS);
    stack.put_object(&key, bytes.clone()).await?;
    let mut outcome = content.outcome(&[]);
    if let contract::job::JobOutcome::Processed { media, .. } = &mut outcome {
        media.files[0].size_bytes = bytes.len() as u64;
    }
    content.job.report_only(outcome).await?;
    let viewers = (0..fixtures::cases(4, 6)).map(|_| get(&content, &[]));
    for answer in futures_util::future::join_all(viewers).await {
        ensure!(answer?.bytes == bytes, "the bytes differ");
    }
    let tail = get(&content, &[("Range", "bytes=-3")]).await?;
    ensure!(tail.bytes == bytes[bytes.len() - 3..]);
    Ok(())
}
