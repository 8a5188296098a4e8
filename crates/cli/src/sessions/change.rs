//! `attache sessions rename`, `tag`, `archive`, `unarchive` and `delete`.

use super::arguments::{Delete, Rename, Several, Tag};
use super::{pages, session_id, text_search, time};
use crate::checkpoints;
use crate::exit::{Exit, Failure};
use crate::key;
use crate::say::counted;
use crate::show::paint::{BOLD, Paint};
use attache_protocol::Patch;
use attache_session::{EventBody, Labels, ListEntry, SessionKey, Store, StoreError, Timestamp};
use attache_view::sanitize;
use jiff::Zoned;
use std::io::{self, Write};

/// Sets a title that the agent's own titles no longer replace (TITLE-03).
pub(crate) async fn rename(store: &dyn Store, arguments: &Rename) -> Result<Exit, Failure> {
    let listed = session_id::find(store, &arguments.id, arguments.place.agent.as_deref())?;
    let title = attache_session::title(&arguments.title.join(" "));
    let title = title.ok_or_else(|| {
        Failure::usage("the title is empty: write at least one visible character")
    })?;
    append(store, &listed.key, EventBody::StoredTitle { title: title.clone(), by_person: true })
        .await?;
    say(&format!("renamed {} to “{}”", id(&listed), sanitize::line(&title)))
}

/// Adds and removes tags, or shows them.
pub(crate) async fn tag(store: &dyn Store, arguments: &Tag) -> Result<Exit, Failure> {
    let listed = session_id::find(store, &arguments.id, arguments.place.agent.as_deref())?;
    let before = Labels::of(&listed.summary.info);
    let mut after = before.clone();
    for word in &arguments.tags {
        let (adds, tag) = match word.strip_prefix('-') {
            Some(tag) => (false, tag),
            None => (true, word.strip_prefix('+').unwrap_or(word)),
        };
        let tag = checked(tag, word)?;
        after.tags.retain(|known| *known != tag);
        if adds {
            after.tags.push(tag);
        }
    }
    if after.tags.len() > Labels::TAGS {
        let most = Labels::TAGS;
        return Err(Failure::usage(format!(
            "a session has at most {most} tags: remove one with -TAG first"
        )));
    }
    if let Some(meta) = Labels::change(&before, &after) {
        let meta = Patch::Set(meta);
        attache_session::check_meta(listed.summary.info.meta(), &meta).map_err(Failure::usage)?;
        let body = EventBody::Info { title: Patch::Keep, updated_at: Patch::Keep, meta };
        append(store, &listed.key, body).await?;
    }
    let tags: Vec<String> =
        after.tags.iter().map(|tag| format!("#{}", sanitize::line(tag))).collect();
    let tags = if tags.is_empty() { "no tags".to_owned() } else { tags.join(" ") };
    say(&format!("{} has {tags}", id(&listed)))
}

/// Returns the tag as it is stored, without a leading `#`.
fn checked(tag: &str, word: &str) -> Result<String, Failure> {
    let tag = tag.trim_start_matches('#');
    let usable = attache_session::title(tag).is_some_and(|same| same == tag)
        && !tag.starts_with('-')
        && tag.chars().count() <= Labels::TAG_LIMIT;
    match usable {
        true => Ok(tag.to_owned()),
        false => Err(Failure::usage(format!(
            "{} is not a tag: write +TAG or -TAG, at most {} characters on one line; options go before the id",
            sanitize::line(word),
            Labels::TAG_LIMIT
        ))),
    }
}

/// Archives or unarchives sessions (ARCH-02, ARCH-06).
pub(crate) async fn archive(
    store: &dyn Store,
    arguments: &Several,
    archived: bool,
) -> Result<Exit, Failure> {
    for listed in all(store, &arguments.ids, arguments.place.agent.as_deref())? {
        let (done, word) =
            (listed.summary.archived == archived, if archived { "archived" } else { "unarchived" });
        if !done {
            append(store, &listed.key, EventBody::Archived(archived)).await?;
        }
        say(&format!("{} is {}{word}", id(&listed), if done { "already " } else { "now " }))?;
    }
    Ok(Exit::Done)
}

/// Deletes sessions once the person or `--yes` has confirmed it.
pub(crate) async fn delete(store: &dyn Store, arguments: &Delete) -> Result<Exit, Failure> {
    let sessions = all(store, &arguments.ids, arguments.place.agent.as_deref())?;
    let lines =
        sessions.iter().map(|listed| described(store, listed)).collect::<Result<Vec<_>, _>>()?;
    if !arguments.yes && !agreed(&lines).await? {
        return Err(Failure::new(Exit::Cancelled, "nothing was deleted"));
    }
    for (listed, line) in sessions.iter().zip(&lines) {
        // The client's copy is deleted too; otherwise it would appear in lists.
        for copy in pages::copies(store, listed)? {
            store.delete(&copy)?;
        }
        store.delete(&listed.key)?;
        checkpoints::forget(&listed.key.agent, &listed.key.session_id)?;
        say(&format!("deleted {line}"))?;
    }
    Ok(Exit::Done)
}

async fn agreed(lines: &[String]) -> Result<bool, Failure> {
    if !key::can_ask() {
        return Err(Failure::usage(format!(
            "deleting is permanent and needs a terminal to confirm: pass --yes to delete\n  {}",
            lines.join("\n  ")
        )));
    }
    let paint = Paint::of(&io::stderr());
    let question =
        format!("  {}\n{} [y/n] ", lines.join("\n  "), paint.paint(BOLD, "delete permanently?"));
    let pressed = key::pressed(vec![b'y', b'n', 27], question).await;
    let key = pressed.map_err(|error| {
        Failure::new(Exit::Internal, format!("the terminal cannot be read: {error}"))
    })?;
    let answer = if key == b'y' { "yes" } else { "no" };
    let written = writeln!(io::stderr().lock(), "{answer}");
    written.map_err(|error| Failure::output(&error))?;
    Ok(key == b'y')
}

/// Finds all named sessions, without duplicates, before any is changed.
fn all(store: &dyn Store, ids: &[String], agent: Option<&str>) -> Result<Vec<ListEntry>, Failure> {
    let mut sessions: Vec<ListEntry> = Vec::new();
    for id in ids {
        let listed = session_id::find(store, id, agent)?;
        if !sessions.iter().any(|other| other.key == listed.key) {
            sessions.push(listed);
        }
    }
    Ok(sessions)
}

/// Describes a session: id, title, number of prompts, time of the last change.
fn described(store: &dyn Store, listed: &ListEntry) -> Result<String, StoreError> {
    let title = text_search::title(store, listed)?.map(|title| format!("“{title}”"));
    let prompts = counted(listed.summary.prompts, "prompt");
    let when = time::ago(listed.summary.updated_at, &Zoned::now());
    Ok(format!(
        "{} {}, {prompts}, {when}",
        id(listed),
        title.unwrap_or_else(|| "without a title".to_owned())
    ))
}

fn id(listed: &ListEntry) -> String {
    sanitize::line(listed.key.session_id.as_str())
}

async fn append(store: &dyn Store, key: &SessionKey, body: EventBody) -> Result<(), Failure> {
    let now = Timestamp(jiff::Timestamp::now().as_millisecond());
    Ok(store.append(key, now, body)?.await?)
}

fn say(text: &str) -> Result<Exit, Failure> {
    let written = writeln!(io::stdout().lock(), "{text}");
    written.map(|()| Exit::Done).map_err(|error| Failure::output(&error))
}
