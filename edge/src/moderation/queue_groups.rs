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
    let mut groups: Vec<_> = groups_of(&rows)?.into_iter().map(|members| describe(&rows, &members)).collect();
    groups.sort_by_key(|(first, _)| *first);
    Ok(groups.into_iter().map(|(_, group)| group).collect())
}

/// Returns the groups as positions. Copies of a file are together even if their frames have no hashes, as black ones.
fn groups_of(rows: &[WaitingRow]) -> Result<Vec<Vec<usize>>, DatabaseError> {
    let mut files: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (position, row) in rows.iter().enumerate() {
        files.entry(&row.file_sha256).or_default().push(position);
    }
    // One video stands for all with its file.
    let mut files: Vec<Vec<usize>> = files.into_values().collect();
    files.sort();
    let hashes = |copies: &Vec<usize>| match copies.first().and_then(|first| rows.get(*first)) {
        // A hash in another format cannot be compared.
        Some(row) => read_column::<Vec<String>>(&row.hashes)
            .map(|hashes| hashes.iter().filter_map(|hash| hash.parse().ok()).collect()),
        None => Ok(Vec::new()),
    };
    let pictures: Vec<Vec<PictureHash>> = files.iter().map(hashes).collect::<Result<_, _>>()?;
    let mut groups = Vec::new();
    for similar in group_similar(&pictures) {
        let mut members = Vec::new();
        for file in similar {
            members.append(files.get_mut(file).unwrap_or(&mut Vec::new()));
        }
        members.sort_unstable();
        groups.push(members);
    }
    groups.extend(files.into_iter().filter(|copies| copies.len() > 1));
    Ok(groups)
}

/// Returns the position of the first member, and the group.
fn describe(rows: &[WaitingRow], members: &[usize]) -> (usize, QueueGroup) {
    let members: Vec<_> = members.iter().filter_map(|position| Some((*position, rows.get(*position)?))).collect();
    let first = members.first().map_or(usize::MAX, |(position, _)| *position);
    let content_uuids = members.iter().map(|(_, row)| row.uuid.to_string()).collect();
    let is_same_file = members.windows(2).all(|pair| match pair {
        [(_, one), (_, two)] => one.file_sha256 == two.file_sha256,
        _ => true,
    });
    (first, QueueGroup { content_uuids, is_same_file })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(uuid: &str, file: &str, hashes: &[&str]) -> WaitingRow {
        let hashes: Vec<String> = hashes.iter().map(|pair| pair.repeat(32)).collect();
        let hashes = serde_json::to_string(&hashes).unwrap();
        WaitingRow { uuid: ContentUuid::new(uuid), file_sha256: file.to_owned(), hashes }
    }

    fn groups(rows: &[WaitingRow]) -> Vec<(usize, Vec<String>, bool)> {
        let described = groups_of(rows).unwrap().into_iter().map(|members| describe(rows, &members));
        let mut groups: Vec<_> =
            described.map(|(first, group)| (first, group.content_uuids, group.is_same_file)).collect();
        groups.sort();
        groups
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
        let named = |uuids: &[&str]| uuids.iter().map(|uuid| (*uuid).to_owned()).collect::<Vec<_>>();
        assert_eq!(groups(&rows), [(0, named(&["a", "c", "e"]), false), (1, named(&["b", "f"]), true)]);
    }

    #[test]
    fn videos_with_nothing_in_common_are_in_no_group() {
        assert_eq!(groups(&[row("a", "one", &["0f"]), row("b", "two", &["a6"]), row("c", "three", &[])]), []);
        assert_eq!(groups(&[]), []);
    }
}
