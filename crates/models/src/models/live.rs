//! The details that providers told about models that are in no list.

use crate::address::without_login;
use crate::catalogue::known_model::KnownModel;
use crate::catalogue::live::{ListFormat, ModelDetails, answer_files, asked};
use crate::http::Http;
use crate::provider::Provider;
use crate::text::stable_hash;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::JoinSet;

/// How long a new session waits for the answers of providers. It does not wait if it asks none.
const ANSWER_LIMIT: Duration = Duration::from_millis(1500);

/// A question that was asked.
#[derive(Debug, Clone, PartialEq)]
enum Question {
    Pending,
    /// The provider's answer; `None` if it has no details.
    Answered(Option<Value>),
}

/// The questions to providers, by [`key`].
type Questions = BTreeMap<String, Question>;

/// What providers told about models that are in no list.
#[derive(Debug)]
pub(super) struct LiveDetails {
    pub(super) is_enabled: bool,
    /// The folder that keeps the answers.
    folder: Option<PathBuf>,
    questions: Arc<watch::Sender<Questions>>,
    /// The requests, which end when this value is dropped.
    tasks: Mutex<JoinSet<()>>,
}

impl Default for LiveDetails {
    fn default() -> Self {
        Self {
            is_enabled: false,
            folder: None,
            questions: Arc::new(watch::Sender::new(Questions::new())),
            tasks: Mutex::new(JoinSet::new()),
        }
    }
}

/// The HTTP statuses after which a provider may answer later, besides those of failures.
const LATER: [u16; 5] = [401, 403, 408, 425, 429];

/// Returns what identifies a question: the provider, its address and the model. It is stored, so
/// the address, whose path may contain a key, is a hash.
fn key(provider: &Provider, name: &str) -> String {
    let address = stable_hash(&without_login(&provider.base_url));
    format!("{} {address:016x} {name}", provider.id)
}

impl LiveDetails {
    pub(super) fn kept_in(folder: Option<PathBuf>) -> Self {
        Self { is_enabled: true, folder, ..Self::default() }
    }

    /// Adds what the provider told to what is known about the model.
    pub(super) fn details(&self, provider: &Provider, known: KnownModel) -> KnownModel {
        if !known.window_assumed {
            return known;
        }
        let questions = self.questions.borrow();
        match questions.get(&key(provider, &known.id.name)) {
            Some(Question::Answered(Some(entry))) => {
                ModelDetails::read(ListFormat::of(provider), entry).add_to(known)
            }
            _ => known,
        }
    }

    /// Returns whether the provider has answered the question about this model.
    pub(super) fn is_answered(&self, provider: &Provider, name: &str) -> bool {
        let questions = self.questions.borrow();
        matches!(questions.get(&key(provider, name)), Some(Question::Answered(_)))
    }

    /// Asks the provider about this model, unless it was asked already.
    pub(super) fn ask(&self, http: &Http, provider: Provider, name: String) {
        let key = key(&provider, &name);
        let is_new = self.questions.send_if_modified(|questions| {
            let is_new = !questions.contains_key(&key);
            if is_new {
                questions.insert(key.clone(), Question::Pending);
            }
            is_new
        });
        if !is_new {
            return;
        }
        let (http, folder, questions) =
            (http.clone(), self.folder.clone(), Arc::clone(&self.questions));
        let mut tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        while tasks.try_join_next().is_some() {}
        tasks.spawn(async move {
            let answer = answer(&http, &provider, &name, folder, &key).await;
            questions.send_modify(|questions| match answer {
                Some(answer) => drop(questions.insert(key, Question::Answered(answer))),
                // The next session asks again.
                None => drop(questions.remove(&key)),
            });
        });
    }

    /// Waits until every question has an answer, for a limited time.
    pub(super) async fn settle(&self) {
        let mut questions = self.questions.subscribe();
        let answered =
            questions.wait_for(|all| all.values().all(|question| *question != Question::Pending));
        // An answer that is late is used when it arrives.
        drop(tokio::time::timeout(ANSWER_LIMIT, answered).await);
    }
}

/// Returns the answer that the folder keeps, or that of the provider. `None` if the provider could
/// not be asked.
async fn answer(
    http: &Http,
    provider: &Provider,
    name: &str,
    folder: Option<PathBuf>,
    key: &str,
) -> Option<Option<Value>> {
    // A server on this machine answers at once, and its window may change.
    let folder = folder.filter(|_| !provider.is_local());
    if let Some(folder) = folder.clone() {
        let of = key.to_owned();
        let read = tokio::task::spawn_blocking(move || answer_files::read(&folder, &of));
        if let Ok(Some(kept)) = read.await {
            return Some(Some(kept));
        }
    }
    match asked(http, provider, name).await {
        Ok(entry) => {
            // An empty entry means that the provider has no details.
            let entry = entry.unwrap_or_else(|| json!({}));
            if let Some(folder) = folder {
                let (of, kept) = (key.to_owned(), entry.clone());
                let write = move || answer_files::write(&folder, &of, &kept);
                // Without the file, the next process asks again.
                drop(tokio::task::spawn_blocking(write).await);
            }
            Some(Some(entry))
        }
        // A server that is overloaded, still loads its model or gets another key is asked again.
        Err(why) => {
            why.status.filter(|status| *status < 500 && !LATER.contains(status)).map(|_| None)
        }
    }
}
