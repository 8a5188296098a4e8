//! The actions that keys can do.

/// Declares [`Action`] with the name in key files and the description of each action.
macro_rules! actions {
    ($($(#[$doc:meta])* $action:ident = $name:literal, $what:literal;)*) => {
        /// Something that a key does on the screen.
        ///
        /// Some actions have a slightly different meaning in each [context](super::Context): in a
        /// list, [`Action::Up`] selects the entry above; in a text, it moves the cursor.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Action {
            $(#[doc = $what] #[doc = "."] $action,)*
        }

        impl Action {
            /// All actions.
            pub const ALL: &[Self] = &[$(Self::$action),*];

            /// Returns the name of the action in a key file, such as `send_now`.
            pub fn name(self) -> &'static str {
                match self { $(Self::$action => $name,)* }
            }

            /// Returns what the action does, as a phrase without a full stop.
            pub fn description(self) -> &'static str {
                match self { $(Self::$action => $what,)* }
            }
        }
    };
}

actions! {
    // The whole screen.
    Help = "help", "Show the keys that work now";
    Quit = "quit", "Quit";
    Interrupt = "interrupt", "Clear the text, which stays in the history; twice: quit";
    Cancel = "cancel", "Cancel the running turn; twice: clear the text";
    Suspend = "suspend", "Return to the shell; fg continues";
    Redraw = "redraw", "Draw the screen again";
    SwitchFocus = "switch_focus", "Switch between the text and the conversation";
    NewSession = "new_session", "Start a session";
    Sessions = "sessions", "List the sessions";
    NextSession = "next_session", "Go to the next session";
    PreviousSession = "previous_session", "Go to the previous session";
    Attention = "attention", "List the sessions that wait for you";
    Agents = "agents", "List the agents";
    Settings = "settings", "Change the options of the agent and the theme";
    Model = "model", "Choose the model";
    ThoughtLevel = "thought_level", "Choose how long the model thinks";
    NextMode = "next_mode", "Switch to the next mode of the agent";
    Queue = "queue", "Edit the prompts that wait";
    Review = "review", "Show all changes of the turn";
    ResumeQueue = "resume_queue", "Send the prompts of a paused queue";
    FoldAll = "fold_all", "Fold or unfold all output";

    // Reading.
    ScrollUp = "scroll_up", "Scroll up";
    ScrollDown = "scroll_down", "Scroll down";
    PageUp = "page_up", "Go up by a page";
    PageDown = "page_down", "Go down by a page";
    HalfPageUp = "half_page_up", "Go up by half a page";
    HalfPageDown = "half_page_down", "Go down by half a page";
    Top = "top", "Go to the beginning";
    Bottom = "bottom", "Go to the end";
    PreviousMessage = "previous_message", "Go to the previous message";
    NextMessage = "next_message", "Go to the next message";
    PreviousToolCall = "previous_tool_call", "Go to the previous tool call";
    NextToolCall = "next_tool_call", "Go to the next tool call";
    PreviousHunk = "previous_hunk", "Go to the previous change";
    NextHunk = "next_hunk", "Go to the next change";
    PreviousFile = "previous_file", "Go to the previous file";
    NextFile = "next_file", "Go to the next file";
    ReviewScope = "review_scope", "Show the changes of the turn or of the session";
    AcceptHunk = "accept_hunk", "Accept the change";
    RejectHunk = "reject_hunk", "Reject the change, after a preview";
    AcceptFile = "accept_file", "Accept all changes of the file";
    RejectFile = "reject_file", "Reject all changes of the file, after a preview";
    CommentHunk = "comment_hunk", "Comment the change for the agent";
    ReopenHunk = "reopen_hunk", "Take back that the change is accepted";
    SideBySide = "side_by_side", "Show changes side by side or in one column";
    Search = "search", "Search";
    NextMatch = "next_match", "Go to the next match";
    PreviousMatch = "previous_match", "Go to the previous match";
    Fold = "fold", "Fold or unfold";
    OpenPager = "open_pager", "Show the whole output or command";
    CopyMessage = "copy_message", "Copy the message";
    CopyCode = "copy_code", "Copy the code block";
    CopyCommand = "copy_command", "Copy the command";
    StopCall = "stop_call", "Stop the tool call";

    // Lists.
    Up = "up", "Go up";
    Down = "down", "Go down";
    Accept = "accept", "Choose";
    Dismiss = "dismiss", "Close";
    Rename = "rename", "Rename";
    Archive = "archive", "Archive or restore";
    Delete = "delete", "Delete";
    Tag = "tag", "Edit the tags";
    FilterFolder = "filter_folder", "Only this folder, or all folders";
    ShowArchived = "show_archived", "Show or hide archived sessions";
    SearchText = "search_text", "Search in titles only, or in texts too";
    PreviousValue = "previous_value", "Choose the previous value";
    NextValue = "next_value", "Choose the next value";
    Edit = "edit", "Edit";
    MoveUp = "move_up", "Move the prompt up";
    MoveDown = "move_down", "Move the prompt down";

    // Questions.
    Allow = "allow", "Yes";
    AllowAlways = "allow_always", "Yes, always, by the rule shown";
    Deny = "deny", "No";
    DenyWithReason = "deny_with_reason", "No, and say why";
    NextField = "next_field", "Go to the next field";
    PreviousField = "previous_field", "Go to the previous field";

    // The text.
    Submit = "submit", "Send the prompt, or put it in the queue while a turn runs";
    SendNow = "send_now", "Cancel the running turn and send the prompt";
    Newline = "newline", "Insert a line break";
    ExternalEditor = "external_editor", "Edit in $VISUAL or $EDITOR";
    PasteImage = "paste_image", "Attach the image on the clipboard";
    ExpandPaste = "expand_paste", "Show the pasted text at the cursor in full";
    HistorySearch = "history_search", "Search the earlier prompts";
    HistoryPrevious = "history_previous", "Take the previous prompt";
    HistoryNext = "history_next", "Take the next prompt";
    Undo = "undo", "Undo";
    Redo = "redo", "Redo";
    Left = "left", "Go left";
    Right = "right", "Go right";
    WordLeft = "word_left", "Go to the start of the word";
    WordRight = "word_right", "Go to the end of the word";
    LineStart = "line_start", "Go to the start of the line";
    LineEnd = "line_end", "Go to the end of the line";
    TextStart = "text_start", "Go to the start of the text";
    TextEnd = "text_end", "Go to the end of the text";
    DeleteBackward = "delete_backward", "Delete the character before the cursor";
    DeleteForward = "delete_forward", "Delete the character at the cursor; quit if there is no text";
    DeleteWordBackward = "delete_word_backward", "Cut the word before the cursor";
    DeleteToSpace = "delete_to_space", "Cut back to the previous space";
    DeleteWordForward = "delete_word_forward", "Cut the word after the cursor";
    DeleteToLineStart = "delete_to_line_start", "Cut to the start of the line";
    DeleteToLineEnd = "delete_to_line_end", "Cut to the end of the line";
    Yank = "yank", "Insert the text that was cut";
    YankOlder = "yank_older", "Replace it by the text that was cut before it";
    Transpose = "transpose", "Swap the two characters before the cursor";
}

impl Action {
    /// Returns the action with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|action| action.name() == name)
    }
}
