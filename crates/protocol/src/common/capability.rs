//! Capabilities that both versions share. An absent or malformed capability is not offered.

use crate::wire::declare::wire_struct;

wire_struct! {
    /// The ways in which a client can ask the user a question for the agent. Without any of them,
    /// it cannot.
    pub struct ElicitationCapabilities {
        /// By a form.
        lenient form: Option<ElicitationFormCapabilities> = "form",
        /// By opening an address.
        lenient url: Option<ElicitationUrlCapabilities> = "url",
    }
}

wire_struct! {
    /// The ways in which an agent accepts a system prompt; `append` always works; unstable.
    pub struct SessionSystemPromptCapabilities {
        /// Modes besides `append`.
        lenient mode: Option<SessionSystemPromptModeCapabilities> = "mode",
    }
}

wire_struct! {
    /// Modes of a system prompt besides `append`; unstable.
    pub struct SessionSystemPromptModeCapabilities {
        /// `override`.
        lenient override_mode: Option<SessionSystemPromptOverrideCapabilities> = "override",
    }
}

/// The default of every group of capabilities offers nothing.
macro_rules! offer_nothing {
    ($($name:ident)*) => {$(
        impl Default for $name {
            fn default() -> Self {
                Self::new()
            }
        }
    )*};
}

/// Markers: objects whose presence alone offers something.
macro_rules! markers {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        wire_struct! {
            $(#[$doc])*
            pub struct $name {}
        }
        offer_nothing! { $name }
    )*};
}

pub(crate) use {markers, offer_nothing};

offer_nothing! {
    ElicitationCapabilities SessionSystemPromptCapabilities SessionSystemPromptModeCapabilities
}

markers! {
    /// Marks that forms can be shown.
    ElicitationFormCapabilities;
    /// Marks that addresses can be opened.
    ElicitationUrlCapabilities;
    /// Marks that `session/delete` is served.
    SessionDeleteCapabilities;
    /// Marks that sessions may have more roots than `cwd`.
    SessionAdditionalDirectoriesCapabilities;
    /// Marks that a system prompt may replace the agent's own; unstable.
    SessionSystemPromptOverrideCapabilities;
    /// Marks that `session/fork` is served; unstable.
    SessionForkCapabilities;
    /// Marks that sessions can be archived; unstable.
    SessionArchiveCapabilities;
    /// Marks that `session/status` is served; unstable.
    SessionStatusCapabilities;
    /// Marks that `session/set_title` is served; unstable.
    SessionTitleCapabilities;
    /// Marks that `auth/status` is served; unstable.
    AuthStatusCapabilities;
    /// Marks that `providers/*` are served; unstable.
    ProvidersCapabilities;
}
