//! The list of a channel's contents: its order, its filters and its pages.

use super::status::{OwnedContents, SELECT_COLUMNS, read};
use crate::base::unix_seconds::UnixSeconds;
use crate::people::owner::Owner;
use crate::platform::database::{Database, DatabaseError, Statement};
use contract::ContentState;

/// The filters of a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ListFilter {
    /// If `None`, all contents but the deleted ones are listed.
    pub state: Option<ContentState>,
    pub created_from: Option<UnixSeconds>,
    /// The end of the range of creation times, which is not part of it.
    pub created_until: Option<UnixSeconds>,
    pub external_id: Option<String>,
}

/// A part of the list: the newest contents that match the filter and follow the content `after`.
#[derive(Clone, Debug)]
pub(crate) struct ListPart {
    pub filter: ListFilter,
    /// The id of the last content of the previous page.
    pub after: Option<u64>,
    pub at_most: u32,
}

/// Selects the contents of the owner `?1` that meet a condition. The index has the order of the list, because its
/// entries end with the time and the id, so a page reads only its own rows. It is named because SQLite would not always
/// choose it.
fn select_listed(owner: &Owner, index: &str, condition: &str) -> Statement {
    let channel = owner.channel();
    let select = Statement::new(format!(
        "{SELECT_COLUMNS} FROM contents INDEXED BY {index}
         WHERE channel_id = {channel} AND {condition}
             AND created_at_unix BETWEEN coalesce(?2, 0) AND min(
                 coalesce(?3 - 1, 9007199254740992),
                 coalesce((SELECT created_at_unix FROM contents WHERE id = ?4), 9007199254740992))
             AND (created_at_unix, id) < (
                 coalesce((SELECT created_at_unix FROM contents WHERE id = ?4), 9007199254740992),
                 coalesce(?4, 9007199254740992))
         ORDER BY created_at_unix DESC, id DESC LIMIT ?5"
    ));
    select.bind(owner.value())
}

/// Returns a part of the channel's list, or `None` if there is no such channel.
pub(crate) async fn list_contents(
    database: &impl Database,
    owner: &Owner,
    part: &ListPart,
    now: UnixSeconds,
) -> Result<Option<OwnedContents>, DatabaseError> {
    read(database, owner, part.select(owner), now).await
}

impl ListPart {
    /// Returns the query for the owner's contents.
    pub(super) fn select(&self, owner: &Owner) -> Statement {
        let ListFilter { state, created_from, created_until, external_id } = &self.filter;
        let query = |index, condition| {
            let query = select_listed(owner, index, condition).bind(*created_from).bind(*created_until);
            query.bind(self.after).bind(self.at_most)
        };
        match (external_id, state) {
            (Some(id), state) => {
                let condition = "external_id = ?6 AND iif(?7 IS NULL, state <> 'deleted', state = ?7)";
                query("contents_by_external_id", condition).bind(id.as_str()).bind(*state)
            }
            (None, Some(state)) => query("contents_by_state", "state = ?6").bind(*state),
            (None, None) => query("contents_by_time", "state <> 'deleted'"),
        }
    }
}
