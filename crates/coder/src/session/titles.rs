//! The title of a session, and the work on it.

use crate::models::TokenUsage;
use std::sync::{Arc, Mutex};
use tokio::task::JoinSet;

/// The tokens of a call, and its cost where the price is known.
pub(crate) type Spent = (TokenUsage, Option<f64>);

/// The title of one session, and the work on it.
#[derive(Debug, Default)]
pub(crate) struct Titles {
    /// The title as far as it is known here.
    pub(crate) now: Option<String>,
    /// How many turns ended well since a model was asked; nothing if none was.
    pub(crate) since: Option<u32>,
    pub(crate) tasks: JoinSet<()>,
    /// The tokens and costs of calls that are not counted yet.
    pub(crate) calls: Arc<Mutex<Vec<Spent>>>,
}

impl Titles {
    /// The title of a session that was opened again.
    pub(crate) fn of(title: Option<&str>) -> Self {
        Self { now: title.map(str::to_owned), since: title.map(|_| 0), ..Self::default() }
    }
}
