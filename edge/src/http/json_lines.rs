//! Responses of any length: a line of JSON for each row, read page by page while the response is sent.

use super::App;
use crate::platform::database::Database;
use axum::body::Body;
use axum::http::HeaderName;
use axum::http::header::CONTENT_TYPE;
use futures_util::stream::try_unfold;
use serde::Serialize;
use std::io;
use worker::send::SendFuture;

pub(crate) type JsonLines = ([(HeaderName, &'static str); 1], Body);

/// Returns the rows after `first` as lines. `read` returns the page after a position, or an empty page at the end.
/// `position` returns the position of a row.
pub(crate) fn json_lines<Row, Position, Page>(
    app: App,
    first: Position,
    read: impl Fn(App, Position) -> Page + Copy + Send + 'static,
    position: fn(&Row) -> Position,
) -> JsonLines
where
    Row: Serialize + 'static,
    Position: Send + 'static,
    Page: Future<Output = io::Result<Vec<Row>>> + 'static,
{
    let pages = try_unfold((app, first), move |(app, after)| {
        SendFuture::new(async move {
            let rows = read(app.clone(), after).await?;
            let Some(last) = rows.last() else { return Ok(None) };
            Ok::<_, io::Error>(Some((lines(&rows)?, (app, position(last)))))
        })
    });
    ([(CONTENT_TYPE, "application/x-ndjson")], Body::from_stream(pages))
}

/// Returns the database for `read`. The response has begun, so a refusal could not be sent.
pub(crate) fn streaming_database(app: &App) -> io::Result<impl Database + use<>> {
    app.database().map_err(|_| io::Error::other("no database"))
}

fn lines(rows: &[impl Serialize]) -> io::Result<String> {
    rows.iter().map(|row| Ok(serde_json::to_string(row)? + "\n")).collect()
}
