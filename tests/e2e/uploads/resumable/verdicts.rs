//! A file gets the same verdict in one request and in pieces, wherever it is cut: valid clips in every container,
//! damaged ones, and real clips from public test suites if they are present.

use super::{Upload, creation};
use anyhow::{Context, Result, ensure};
use fixtures::clips::{ClipSpec, RECIPES, encode};
use fixtures::{Form, cases};
use futures_util::{StreamExt, TryStreamExt, stream};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tests::{Channel, HttpAnswer, TestStack, e2e, project, send};

const SEED: u64 = 41;
const MOST_CUTS: u64 = 6;
const AT_ONCE: usize = 4;

/// The outcome of an upload: the refusal that the client gets, or the properties of the stored video.
#[derive(Debug, PartialEq, Eq)]
enum Verdict {
    Refused { status: u16, code: String, detail: String },
    Accepted { source: String, duration_ms: u64 },
}

/// Reproducible numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from((self.0 >> 16) % limit.max(1)).unwrap_or(0)
    }

    /// Returns the places at which a file of this length is cut, in order, and its end.
    fn cuts(&mut self, length: usize) -> Vec<usize> {
        let number = 1 + self.below(MOST_CUTS);
        let mut cuts: Vec<usize> = (0..number).map(|_| self.below(length as u64)).collect();
        cuts.push(length);
        cuts.sort_unstable();
        cuts.dedup();
        cuts.retain(|cut| *cut > 0);
        cuts
    }
}

/// Returns a file of each kind: every container, whole and without its end, and files that are refused.
fn made_files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let clip = ClipSpec { frames: 75, rate: 25, sound: true };
    let short = ClipSpec { frames: 25, ..clip };
    let mut files = vec![
        ("no video".to_owned(), vec![b'-'; 300_000]),
        ("1,999 ms".to_owned(), fixtures::mp4(1_999, 2_000, 1)),
        ("2,000 ms".to_owned(), fixtures::mp4(2_000, 2_000, 1)),
        ("120,000 ms".to_owned(), fixtures::mp4(120_000, 6_100_001, 1)),
        ("120,001 ms".to_owned(), fixtures::mp4(120_001, 2_000, 1)),
        ("a picture".to_owned(), b"\x89PNG\r\n\x1A\n\0\0\0\rIHDR".to_vec()),
        ("one byte".to_owned(), b"\0".to_vec()),
    ];
    for recipe in RECIPES {
        let (Some(whole), Some(short)) = (encode(folder, *recipe, clip), encode(folder, *recipe, short)) else {
            return files;
        };
        let damaged = whole[..whole.len() * 2 / 3].to_vec();
        files.push((format!("{}, damaged", recipe.name), damaged));
        files.push((format!("{}, one second", recipe.name), short));
        files.push((recipe.name.to_owned(), whole));
    }
    files
}

/// Returns real clips and hostile files, or prints a line if they are not present.
fn vectors() -> Result<Vec<(String, Vec<u8>)>> {
    let folder = std::env::var_os("CLIPGATE_VECTORS");
    let folder = folder.map_or_else(|| project().join("../shared/vectors"), PathBuf::from);
    let Ok(index) = std::fs::read_to_string(folder.join("media/index.csv")) else {
        println!("SKIPPED: no vectors found (set CLIPGATE_VECTORS, or put them in ../shared/vectors)");
        return Ok(Vec::new());
    };
    // The name comes first. It is quoted if it has a comma.
    let name = |line: &str| match line.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next().map(str::to_owned),
        None => line.split(',').next().map(str::to_owned),
    };
    let mut paths: Vec<PathBuf> =
        index.lines().skip(1).filter_map(name).map(|name| folder.join("media").join(name)).collect();
    for entry in std::fs::read_dir(folder.join("hostile-media"))? {
        paths.push(entry?.path());
    }
    paths.sort();
    let chosen = paths.into_iter().step_by(cases(8, 1));
    let read =
        |path: PathBuf| Ok((path.display().to_string(), std::fs::read(&path).context(path.display().to_string())?));
    chosen.map(read).collect()
}

async fn in_one_request(channel: &Channel, file: &[u8]) -> Result<Verdict> {
    let answer = channel.upload(Form::new().file("file", "clip.mp4", file)).await?;
    if answer.status == 200 {
        let result = answer.json()?;
        return accepted(channel, result["content_uuid"].as_str().context("no content")?);
    }
    refused(&answer)
}

async fn in_pieces(channel: &Channel, file: &[u8], cuts: &[usize]) -> Result<Verdict> {
    let answer = send(creation(channel, file.len(), &[])).await?;
    ensure!(answer.status == 201, "{answer:?}");
    let upload = Upload::at(channel, &answer)?;
    let mut offset = 0;
    for cut in cuts {
        let answer = upload.append(offset, &file[offset..*cut]).await?;
        if answer.status != 204 {
            return refused(&answer);
        }
        let uuid = answer.header("clipgate-content-uuid");
        if !uuid.is_empty() {
            ensure!(*cut == file.len(), "accepted before its end: {answer:?}");
            return accepted(channel, uuid);
        }
        offset = *cut;
    }
    anyhow::bail!("no verdict after the last byte")
}

fn refused(answer: &HttpAnswer) -> Result<Verdict> {
    let body = answer.json()?;
    let text = |name: &str| body[name].as_str().unwrap_or_default().to_owned();
    Ok(Verdict::Refused { status: answer.status.as_u16(), code: text("error_message_code"), detail: text("detail") })
}

fn accepted(channel: &Channel, uuid: &str) -> Result<Verdict> {
    let select = "SELECT source, duration_ms FROM contents WHERE channel_id = ?1 AND uuid = ";
    let row = channel.stack.row(&format!("{select}'{uuid}'"), channel.account.channel_id)?;
    let source: Value = serde_json::from_str(row["source"].as_str().unwrap_or_default())?;
    Ok(Verdict::Accepted { source: source.to_string(), duration_ms: row["duration_ms"].as_u64().unwrap_or(0) })
}

#[e2e]
async fn a_file_in_pieces_gets_the_verdict_of_the_whole(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::with_limit(&stack, Some(100_000)).await?;
    let mut files = made_files(&project().join("target/tmp/clips"));
    files.extend(vectors()?);
    let mut random = Random(SEED);
    let rounds = cases(1, 5);
    let files = (0..rounds).flat_map(|_| &files);
    let files: Vec<_> = files.map(|(name, file)| (name, file, random.cuts(file.len()))).collect();
    let verdicts = stream::iter(files).map(async |(name, file, cuts)| {
        let whole = in_one_request(&channel, file).await.context(name.clone())?;
        let pieces = in_pieces(&channel, file, &cuts).await.context(name.clone())?;
        ensure!(whole == pieces, "{name} cut at {cuts:?}: {whole:?} in one request, {pieces:?} in pieces");
        Ok(whole)
    });
    let verdicts: Vec<_> = verdicts.buffer_unordered(AT_ONCE).try_collect().await?;
    let accepted = verdicts.iter().filter(|verdict| matches!(verdict, Verdict::Accepted { .. })).count();
    println!("verdicts: {} files in pieces, {accepted} of them accepted", verdicts.len());
    ensure!(accepted > 0 && accepted < verdicts.len());
    Ok(())
}
