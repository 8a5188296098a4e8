//! Records that the author stores with a session and the client does not see.

use crate::store::records::{REMEMBERED, REMEMBERED_ONLY};
use crate::{Error, Result, Turn};
use attache_protocol::Raw;
use attache_session::EventBody;
use serde::Serialize;

/// The maximum length of a record, in bytes of JSON.
const LIMIT: usize = 16 * 1024 * 1024;

impl Turn {
    /// Stores `value` in the log of the session.
    /// [`Opening::remembered`](crate::Opening::remembered) returns it when the session is loaded,
    /// resumed or forked. The value is stored with the turn, before the prompt is answered, and
    /// never sent.
    ///
    /// Also works after a cancel, so that everything done before it is remembered. A subagent
    /// remembers for the session it works for. Without a store, nothing outlives the connection.
    ///
    /// # Errors
    /// Returns [`Error::Over`] once the turn is over; [`Error::Failed`] if `value` is not JSON or
    /// is longer than 16 MiB; or [`Error::Store`] if too much waits to be stored and storing it
    /// fails.
    pub async fn remember(&self, value: &(impl Serialize + ?Sized)) -> Result<()> {
        self.record(REMEMBERED, json(value)?).await
    }

    /// Stores `value` and removes all earlier remembered values, for an author that remembers a
    /// single value, or that has compacted what it remembers.
    ///
    /// # Errors
    /// Returns the same errors as [`Turn::remember`].
    pub async fn remember_only(&self, value: &(impl Serialize + ?Sized)) -> Result<()> {
        self.record(REMEMBERED_ONLY, json(value)?).await
    }

    async fn record(&self, name: &str, value: Raw) -> Result<()> {
        let session = self.root().open_session();
        session.wait_for_store().await?;
        session.in_turn_even_cancelled(self.accepted(), |state| {
            state.record(EventBody::Record { name: name.to_owned(), value });
        })
    }
}

fn json(value: &(impl Serialize + ?Sized)) -> Result<Raw> {
    let value = Raw::of(value)
        .map_err(|error| Error::caused("the value to remember cannot be written as JSON", error))?;
    match value.get().len() {
        length if length > LIMIT => Err(Error::failed(format!(
            "the value to remember has {length} bytes: split it into records of at most {LIMIT} bytes"
        ))),
        _ => Ok(value),
    }
}
