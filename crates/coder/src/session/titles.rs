//! The title of a session, and the task that writes it.

use crate::models::TokenUsage;
use std::sync::{Arc, Mutex};
use tokio::task::JoinSet;

/// The title of the called model, the tokens of the call, and its cost if the price is known.
pub(crate) type Spent = (String, TokenUsage, Option<f64>);

/// The title of one session, and the task that writes it.
#[derive(Debug, Default)]
pub(crate) struct Titles {
    /// The last known title.
    pub(crate) now: Option<String>,
    /// The number of successful turns since a model last wrote or checked the title, or `None` if
    /// none has.
    pub(crate) since: Option<u32>,
    pub(crate) tasks: JoinSet<()>,
    /// The tokens and costs of model calls that the session has not counted yet.
    pub(crate) calls: Arc<Mutex<Vec<Spent>>>,
}

impl Titles {
    /// The title of a reopened session.
    pub(crate) fn of(title: Option<&str>) -> Self {
        Self { now: title.map(str::to_owned), since: title.map(|_| 0), ..Self::default() }
    }
}
