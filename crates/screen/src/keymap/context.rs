//! The contexts of keys.

/// The part of the screen that gets a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Context {
    /// Everywhere, unless the part that gets the key has another action for it.
    Global,
    /// The editor of prompts.
    Composer,
    /// The list of files, commands or earlier prompts at the composer.
    Popup,
    /// The conversation.
    Conversation,
    /// A request for permission.
    Question,
    /// A form with fields.
    Form,
    /// A list of sessions, agents or values.
    Picker,
    /// The list of options.
    Settings,
    /// The list of prompts that wait.
    Queue,
    /// The whole text of an output.
    Pager,
    /// All changes of a turn.
    Review,
}

impl Context {
    /// All contexts.
    pub const ALL: [Self; 11] = [
        Self::Global,
        Self::Composer,
        Self::Popup,
        Self::Conversation,
        Self::Question,
        Self::Form,
        Self::Picker,
        Self::Settings,
        Self::Queue,
        Self::Pager,
        Self::Review,
    ];

    /// Returns the name of the context in a key file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Global => "global",
            Self::Composer => "composer",
            Self::Popup => "popup",
            Self::Conversation => "conversation",
            Self::Question => "question",
            Self::Form => "form",
            Self::Picker => "picker",
            Self::Settings => "settings",
            Self::Queue => "queue",
            Self::Pager => "pager",
            Self::Review => "review",
        }
    }

    /// Returns what the context is, in a few words.
    pub fn description(self) -> &'static str {
        match self {
            Self::Global => "Everywhere, unless the context has another action for the key",
            Self::Composer => {
                "The editor of prompts; a plain character works only while there is no text"
            }
            Self::Popup => "The list of files, commands or earlier prompts while you type",
            Self::Conversation => "The conversation",
            Self::Question => "A request for permission",
            Self::Form => "A form with fields",
            Self::Picker => "A list of sessions, agents or values; characters filter it",
            Self::Settings => "The options of the agent and the screen",
            Self::Queue => "The prompts that wait",
            Self::Pager => "The whole text of an output",
            Self::Review => "All changes of a turn",
        }
    }

    /// Returns the context with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|context| context.name() == name)
    }

    /// Whether plain characters are text in this context. A plain character is then no key, except
    /// in the composer while it is empty.
    pub fn takes_text(self) -> bool {
        matches!(self, Self::Composer | Self::Popup | Self::Form | Self::Picker)
    }
}
