//! Groups the similar videos of the queue, so that a moderator decides about them once.
//!
//! Nothing is stored about groups. They are computed from a few of the frame hashes that each waiting video has anyway,
//! so they always agree with the queue.

use crate::base::ids::ContentUuid;
use crate::platform::database::{Database, DatabaseError, Statement, read_column};
use contract::PictureHash;
use contract::api::QueueGroup;
use serde::Deserialize;
use similar_hashes::group_similar;
use std::collections::BTreeMap;

/// The videos that are compared: those that have waited longest.
const COMPARED: u32 = 100;

#[derive(Deserialize)]
struct WaitingRow {
    uuid: ContentUuid,
    file_sha256: String,
    /// Up to eight hashes of frames, spread over the video.
    hashes: String,
}

/// Reads by the index of the queue, and by the primary key of the frames, about 17 rows for each video.
const SELECT: &str = "
    SELECT uuid, file_sha256,
        (SELECT json_group_array(hash) FROM json_each('[0,1,2,3,4,5,6,7]') CROSS JOIN frame_hashes
             ON frame_hashes.content_id = waiting.id AND frame_hashes.generation = waiting.generation
                 AND number = last_number * value / 7) AS hashes
    FROM (SELECT id, uuid, generation, file_sha256,
              (SELECT max(number) FROM frame_hashes
               WHERE content_id = contents.id AND frame_hashes.generation = contents.generation) AS last_number
          FROM contents INDEXED BY contents_by_waiting
          WHERE state = 'processing' AND waits_for = 'person' AND waits_for IS NOT NULL
          ORDER BY waits_since_unix, id LIMIT ?1) AS waiting";

/// Returns the groups of two or more similar videos that wait for a person.
pub(crate) async fn list(database: &impl Database) -> Result<Vec<QueueGroup>, DatabaseError> {
    let rows: Vec<WaitingRow> = database.all(Statement::new(SELECT).bind(COMPARED)).await?;
    Ok(groups_of(&rows)?.iter().map(|members| describe(&rows, members)).collect())
}

/// Returns each group as the positions of its rows. Copies of a file are in one group even if their frames have no
/// hashes, for example because they are black.
fn groups_of(rows: &[WaitingRow]) -> Result<Vec<Vec<usize>>, DatabaseError> {
    let mut files: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (position, row) in rows.iter().enumerate() {
        files.entry(&row.file_sha256).or_default().push(position);
    }
    // One video stands for all with its file.
    let mut files: Vec<Vec<usize>> = files.into_values().collect();
    files.sort();
    let first_of = |copies: &Vec<usize>| copies.first().and_then(|first| rows.get(*first));
    let pictures: Vec<Vec<PictureHash>> =
        files.iter().map(|copies| first_of(copies).map_or(Ok(Vec::new()), pictures_of)).collect::<Result<_, _>>()?;
    let mut groups = Vec::new();
    for similar in group_similar(&pictures) {
        let copies = similar.into_iter().flat_map(|file| files.get_mut(file).map(std::mem::take).unwrap_or_default());
        let mut members: Vec<usize> = copies.collect();
        members.sort_unstable();
        groups.push(members);
    }
    groups.extend(files.into_iter().filter(|copies| copies.len() > 1));
    groups.sort();
    Ok(groups)
}

/// Returns the different hashes of a video. A short video has fewer frames than are asked for, so they repeat.
fn pictures_of(row: &WaitingRow) -> Result<Vec<PictureHash>, DatabaseError> {
    let mut hashes: Vec<String> = read_column(&row.hashes)?;
    hashes.sort();
    hashes.dedup();
    // A hash in another format cannot be compared.
    Ok(hashes.iter().filter_map(|hash| hash.parse().ok()).collect())
}

fn describe(rows: &[WaitingRow], members: &[usize]) -> QueueGroup {
    let members: Vec<&WaitingRow> = members.iter().filter_map(|position| rows.get(*position)).collect();
    let file = members.first().map(|row| &row.file_sha256);
    QueueGroup {
        content_uuids: members.iter().map(|row| row.uuid.to_string()).collect(),
        is_same_file: members.iter().all(|row| Some(&row.file_sha256) == file),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::people::auth::hash::sha256_hex;

    fn row(uuid: &str, file: &str, hashes: &[&str]) -> WaitingRow {
        // Hashes of different names are far apart.
        let hashes: Vec<String> = hashes.iter().map(|name| sha256_hex(name.as_bytes())).collect();
        let hashes = serde_json::to_string(&hashes).unwrap();
        WaitingRow { uuid: ContentUuid::new(uuid), file_sha256: file.to_owned(), hashes }
    }

    fn groups(rows: &[WaitingRow]) -> Vec<QueueGroup> {
        groups_of(rows).unwrap().iter().map(|members| describe(rows, members)).collect()
    }

    #[test]
    fn similar_videos_and_copies_of_their_files_are_one_group() {
        let rows = [
            row("a", "one", &["0f"]),
            row("b", "black", &[]),
            row("c", "two", &["0f"]),
            row("d", "other", &["a6"]),
            row("e", "one", &["0f"]),
            row("f", "black", &[]),
        ];
        let group = |uuids: &[&str], is_same_file| {
            let content_uuids = uuids.iter().map(|uuid| (*uuid).to_owned()).collect();
            QueueGroup { content_uuids, is_same_file }
        };
        assert_eq!(groups(&rows), [group(&["a", "c", "e"], false), group(&["b", "f"], true)]);
    }

    #[test]
    fn videos_with_nothing_in_common_are_in_no_group() {
        assert_eq!(groups(&[row("a", "one", &["0f"]), row("b", "two", &["a6"]), row("c", "three", &[])]), []);
        assert_eq!(groups(&[]), []);
    }

    #[test]
    fn a_picture_that_repeats_counts_once() {
        let short = |uuid: &str, file: &str, other: &str| row(uuid, file, &["card", "card", "card", "card", other]);
        assert_eq!(groups(&[short("a", "one", "x"), short("b", "two", "y")]), []);
    }
}
