//! Lists of sessions, page by page.

use crate::file::lock::{FNV_BASIS, fnv};
use crate::file::store_files::StoreFiles;
use crate::read::log_reader::event;
use crate::read::row::{LISTED, listed, side_name};
use crate::read::said::Search;
use attache_session::{ArchivedFilter, ListEntry, ListPage, ListQuery, StoreError};
use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};

/// The default page size.
const PAGE: usize = 50;

/// Returns the page of a query.
pub(crate) fn page(
    place: &StoreFiles,
    connection: &Connection,
    query: &ListQuery,
) -> Result<ListPage, StoreError> {
    let failed = |error| place.failure(error);
    let limit = if query.limit == 0 { PAGE } else { query.limit };
    let text = query.text.as_ref().map(|text| text.to_ascii_lowercase());
    let rarely_tagged = match &query.tag {
        Some(tag) => is_rare(connection, tag).map_err(failed)?,
        None => false,
    };
    let selection = Selection::of(query, rarely_tagged)?;
    let mut statement = connection.prepare_cached(&selection.sql).map_err(failed)?;
    let mut rows = statement.query(params_from_iter(selection.parameters)).map_err(failed)?;
    let mut page = ListPage::default();
    let mut last = None;
    while let Some(row) = rows.next().map_err(failed)? {
        let (id, found) = listed(place, row)?;
        if let Some(text) = &text
            && !says(place, connection, id, &found, text)?
        {
            continue;
        }
        if page.sessions.len() == limit {
            page.next = last.map(|position: Position| position.cursor(query));
            break;
        }
        last = Some(Position { updated_at: found.summary.updated_at.0, id });
        page.sessions.push(found);
    }
    Ok(page)
}

/// The condition for [`ListQuery::used`].
const USED: &str = "(+prompts > 0 OR titled_by_person = 1
    OR EXISTS (SELECT 1 FROM tag WHERE tag.session = session.id)
    OR EXISTS (SELECT 1 FROM event WHERE event.session = session.id AND said))";

/// Returns whether so few sessions have this tag that sorting them is faster than searching all
/// sessions for them.
fn is_rare(connection: &Connection, tag: &str) -> rusqlite::Result<bool> {
    let sql = "SELECT count(*) < 1000 FROM (SELECT 1 FROM tag WHERE tag = ?1 LIMIT 1000)";
    connection.prepare_cached(sql)?.query_row([tag], |row| row.get(0))
}

/// A query as SQL conditions and parameters. The SQL text contains no values from the query.
#[derive(Default)]
struct Selection {
    sql: String,
    parameters: Vec<Value>,
}

impl Selection {
    /// SQLite has no statistics about the sessions. A `+` before a column keeps it from using the
    /// index of that column when another index leaves fewer sessions.
    fn of(query: &ListQuery, rarely_tagged: bool) -> Result<Self, StoreError> {
        let mut own = Self { sql: format!("{LISTED} WHERE true"), parameters: Vec::new() };
        let few =
            rarely_tagged || query.cwd.is_some() || (query.side.is_some() && query.agent.is_some());
        match (query.archived, few) {
            (ArchivedFilter::Include, _) => {}
            (ArchivedFilter::Exclude, false) => own.and("archived = 0", []),
            (ArchivedFilter::Exclude, true) => own.and("+archived = 0", []),
            (ArchivedFilter::Only, false) => own.and("archived = 1", []),
            (ArchivedFilter::Only, true) => own.and("+archived = 1", []),
        }
        // A directory usually has fewer sessions than an agent.
        let in_directory = query.cwd.is_some();
        if let Some(side) = query.side {
            let condition = if in_directory { "+side = ?" } else { "side = ?" };
            own.and(condition, [side_name(side).to_owned().into()]);
        }
        if let Some(agent) = &query.agent {
            let condition = if in_directory { "+agent = ?" } else { "agent = ?" };
            own.and(condition, [agent.clone().into()]);
        }
        if let Some(cwd) = &query.cwd {
            own.and("cwd = ?", [cwd.clone().into()]);
        }
        if query.used {
            own.and(USED, []);
        }
        if let Some(title) = &query.title {
            own.and("contains(title, ?)", [title.to_lowercase().into()]);
        }
        if let Some(tag) = &query.tag {
            let condition = match rarely_tagged {
                true => "session.id IN (SELECT session FROM tag WHERE tag = ?)",
                false => "EXISTS (SELECT 1 FROM tag WHERE tag = ? AND tag.session = session.id)",
            };
            own.and(condition, [tag.clone().into()]);
        }
        if let Some(cursor) = &query.cursor {
            let Position { updated_at, id } =
                Position::of(cursor, query).ok_or(StoreError::InvalidCursor)?;
            own.and("(updated_at, session.id) < (?, ?)", [updated_at.into(), id.into()]);
        }
        own.sql.push_str(match rarely_tagged {
            true => " ORDER BY +updated_at DESC, session.id DESC",
            false => " ORDER BY updated_at DESC, session.id DESC",
        });
        Ok(own)
    }

    fn and<const N: usize>(&mut self, condition: &str, parameters: [Value; N]) {
        self.sql.push_str(" AND ");
        self.sql.push_str(condition);
        self.parameters.extend(parameters);
    }
}

/// Returns whether `text`, in lower case, is in the title or in a message of either side.
fn says(
    place: &StoreFiles,
    connection: &Connection,
    id: i64,
    listed: &ListEntry,
    text: &str,
) -> Result<bool, StoreError> {
    if listed.summary.info.title().unwrap_or_default().to_ascii_lowercase().contains(text) {
        return Ok(true);
    }
    let failed = |error| place.failure(error);
    let sql = "SELECT last, body FROM event WHERE session = ?1 AND said ORDER BY last";
    let mut statement = connection.prepare_cached(sql).map_err(failed)?;
    let mut rows = statement.query([id]).map_err(failed)?;
    let mut search = Search::new(text);
    while let Some(row) = rows.next().map_err(failed)? {
        if search.finds(&event(place, id, row)?.0) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The end of a page: its last session.
struct Position {
    updated_at: i64,
    id: i64,
}

impl Position {
    /// An opaque text: the two numbers, and a hash of them and of the query's conditions. The hash
    /// shows whether the cursor comes from another list.
    fn cursor(&self, query: &ListQuery) -> String {
        format!("{:016x}{:016x}{:016x}", self.updated_at, self.id, self.hash(query))
    }

    fn of(cursor: &str, query: &ListQuery) -> Option<Self> {
        let number = |at: usize| u64::from_str_radix(cursor.get(at..at + 16)?, 16).ok();
        let position = Self { updated_at: number(0)?.cast_signed(), id: number(16)?.cast_signed() };
        (position.cursor(query) == cursor).then_some(position)
    }

    fn hash(&self, query: &ListQuery) -> u64 {
        let ListQuery { side, agent, cwd, archived, used, title, tag, text, cursor: _, limit: _ } =
            query;
        let selected = format!(
            "{} {} {:?}",
            self.updated_at,
            self.id,
            (side, agent, cwd, archived, used, title, tag, text)
        );
        let hash = fnv(FNV_BASIS, selected.as_bytes());
        (hash ^ (hash >> 64)) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file::schema::{STEPS, migrate};
    use attache_protocol::method::Side;

    /// How SQLite goes through the sessions of a query.
    fn plan(query: &ListQuery, rarely_tagged: bool) -> String {
        let mut connection = Connection::open_in_memory().unwrap();
        migrate(&mut connection, STEPS).unwrap();
        let contains = |_: &rusqlite::functions::Context<'_>| Ok(true);
        connection.create_scalar_function("contains", 2, Default::default(), contains).unwrap();
        let selection = Selection::of(query, rarely_tagged).unwrap();
        let mut statement =
            connection.prepare(&format!("EXPLAIN QUERY PLAN {}", selection.sql)).unwrap();
        let rows = statement
            .query_map(params_from_iter(selection.parameters), |row| row.get::<_, String>(3));
        rows.unwrap().map(Result::unwrap).collect::<Vec<_>>().join("; ")
    }

    /// The cost of a page then depends only on its content, not on the number of sessions.
    #[test]
    fn sessions_are_read_in_the_order_of_the_list() {
        let any = ListQuery::default;
        let some = |text: &str| Some(text.to_owned());
        let position = Position { updated_at: 5, id: 7 };
        for (query, index) in [
            (any(), "session_by_archived (archived=?)"),
            (
                ListQuery { archived: ArchivedFilter::Only, ..any() },
                "session_by_archived (archived=?)",
            ),
            (ListQuery { archived: ArchivedFilter::Include, ..any() }, "session_by_time"),
            (ListQuery { cwd: some("/"), ..any() }, "session_by_cwd (cwd=?)"),
            (
                ListQuery { side: Some(Side::Agent), agent: some("a"), ..any() },
                "session_by_agent (side=? AND agent=?)",
            ),
            (
                ListQuery { side: Some(Side::Agent), agent: some("a"), cwd: some("/"), ..any() },
                "session_by_cwd (cwd=?)",
            ),
            (
                ListQuery { cursor: Some(position.cursor(&any())), ..any() },
                "session_by_archived (archived=? AND updated_at<?)",
            ),
            (ListQuery { tag: some("x"), ..any() }, "session_by_archived (archived=?)"),
            (ListQuery { title: some("x"), ..any() }, "session_by_archived (archived=?)"),
            (ListQuery { used: true, ..any() }, "session_by_archived (archived=?)"),
        ] {
            let plan = plan(&query, false);
            assert!(plan.contains(index) && !plan.contains("TEMP B-TREE"), "{query:?}: {plan}");
        }
    }

    #[test]
    fn sessions_with_a_rare_tag_are_found_by_the_tag() {
        let tagged = ListQuery { tag: Some("x".to_owned()), ..ListQuery::default() };
        let plan = plan(&tagged, true);
        assert!(plan.starts_with("SEARCH session USING INTEGER PRIMARY KEY (rowid=?)"), "{plan}");
    }
}
