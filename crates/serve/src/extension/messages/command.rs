//! What a client asks a session to do.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

messages! {
    /// Names a session.
    OfSession {
        /// The name of the agent in the hub.
        agent: String,
        /// The id of the session.
        session_id: String,
    }

    /// Answers a question.
    AnswerQuestion {
        /// The name of the agent in the hub.
        agent: String,
        /// The session; `null` if the question belongs to none.
        session_id: Option<String>,
        /// The id of the question.
        question: u64,
        /// The answer.
        answer: QuestionAnswer,
    }

    /// Opens a new session, or a stored one.
    OpenSession {
        /// The name of an agent to choose from.
        agent: String,
        /// The folder, absolute.
        cwd: String,
        /// The id of a stored session; a new one if absent.
        #[serde(default)]
        session_id: Option<String>,
    }

    /// The session that was opened.
    Opened {
        /// The name of the agent in the hub.
        agent: String,
        /// The id.
        session_id: String,
    }

    /// Sends a prompt, which waits while a turn runs.
    SendPrompt {
        /// The name of the agent in the hub.
        agent: String,
        /// The id of the session.
        session_id: String,
        /// The content blocks, as in `session/prompt`: text, images, links to files.
        #[cfg_attr(test, ts(type = "Array<unknown>"))]
        content: Vec<Box<RawValue>>,
    }

    /// Stops a tool call alone, if the agent can do that.
    StopCall {
        /// The name of the agent in the hub.
        agent: String,
        /// The id of the session.
        session_id: String,
        /// The id of the tool call.
        call: String,
    }

    /// Names an agent.
    OfAgent {
        /// The name of the agent in the hub.
        agent: String,
    }

    /// Changes the prompts that wait.
    ChangeQueue {
        /// The name of the agent in the hub.
        agent: String,
        /// The id of the session.
        session_id: String,
        /// The change.
        change: QueueChange,
    }

    /// Stores the text that is not sent yet.
    SetDraft {
        /// The name of the agent in the hub.
        agent: String,
        /// The id of the session.
        session_id: String,
        /// The text.
        text: String,
    }

    /// What the person wrote that the agent did not get.
    Unsent {
        /// The text that is not sent yet; empty if there is none.
        draft: String,
        /// The number of prompts that wait.
        waiting: usize,
    }

    /// Sets a config option.
    SetOption {
        /// The name of the agent in the hub.
        agent: String,
        /// The id of the session.
        session_id: String,
        /// The id of the option; `mode` for the mode of an agent with modes only.
        option: String,
        /// The id of the value.
        value: String,
    }

    /// Changes a session in the list.
    ChangeSession {
        /// The name of the agent in the hub.
        agent: String,
        /// The id of the session.
        session_id: String,
        /// The change.
        change: ListChange,
    }

    /// Finds files for a mention.
    FindFiles {
        /// The name of the agent in the hub.
        agent: String,
        /// The id of the session.
        session_id: String,
        /// The letters typed so far.
        letters: String,
    }

    /// Files, the best first.
    Files {
        /// Paths below the session's folder.
        paths: Vec<String>,
    }
}

/// An answer to a question.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum QuestionAnswer {
    /// Chooses an answer of a permission or a page.
    Choose {
        /// The index in the choices of the question as they were sent.
        choice: usize,
        /// The index of the rule, for an answer with rules.
        #[serde(default)]
        rule: Option<usize>,
        /// Why, for an answer that says so. It becomes the next prompt, so it needs the scope
        /// `control`.
        #[serde(default)]
        why: Option<String>,
    },
    /// Fills in a form.
    Fill {
        /// The values by the names of the fields.
        #[cfg_attr(test, ts(type = "Record<string, unknown>"))]
        values: serde_json::Map<String, serde_json::Value>,
    },
}

/// A change of the prompts that wait.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum QueueChange {
    /// Replaces the text of a prompt.
    Edit {
        /// The id of the prompt.
        id: u64,
        /// The text.
        text: String,
    },
    /// Removes a prompt.
    Remove {
        /// The id of the prompt.
        id: u64,
    },
    /// Moves a prompt.
    Move {
        /// The id of the prompt.
        id: u64,
        /// Its new index.
        to: usize,
    },
    /// Cancels the turn and sends a prompt.
    SendNow {
        /// The id of the prompt.
        id: u64,
    },
    /// Goes on after the queue was held.
    Release,
}

/// A change of a session in the list.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ListChange {
    /// Sets the title.
    Rename {
        /// The title.
        title: String,
    },
    /// Archives the session, or takes it out of the archive.
    Archive {
        /// Whether it is archived.
        archived: bool,
    },
    /// Sets all tags.
    Tags {
        /// The tags.
        tags: Vec<String>,
    },
    /// Closes the session; it stays stored.
    Close,
    /// Deletes the session for good.
    Delete,
}
