//! The state of the screen.

use crate::app::command_list::COMMANDS;
use crate::app::notices::Notices;
use crate::app::options::{FirstSession, ScreenOptions};
use crate::app::pasted_images::PastedImages;
use crate::app::screen_settings::ScreenSettings;
use crate::app::slot::{Slot, SlotId};
use crate::app::terminal_job::TerminalJob;
use crate::composer::{Composer, Draft, HistoryFile, Piece, SlashCommand};
use crate::keymap::Keymap;
use crate::panel::Panel;
use crate::panel::review::ReviewedChanges;
use crate::popup::FileFinder;
use crate::services::{FoundText, Services, SharedSessions};
use crate::theme::Theme;
use attache_checkpoint::{Plan, RestoreControl, Restored, Summary};
use attache_client::{
    Budget, Hub, HubError, HubSession, PermissionBroker, QuestionAbout, QuestionId,
};
use attache_protocol::v1::{McpServer, SessionId};
use attache_session::{EntryPage, StoreError};
use attache_view::{NoticeLevel, StatusLine, sanitize};
use ratatui::layout::Rect;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use tokio::sync::Notify;
use tokio::task::{AbortHandle, JoinSet};

/// The state of the screen.
pub(crate) struct App {
    pub(crate) hub: Hub,
    pub(crate) services: Arc<dyn Services>,
    /// The shared hub, if it keeps the sessions.
    pub(crate) shared: Option<Arc<dyn SharedSessions>>,
    pub(crate) rules: PermissionBroker,
    pub(crate) first: FirstSession,
    pub(crate) mcp_servers: Vec<McpServer>,
    pub(crate) budget: Option<Budget>,
    pub(crate) theme: Theme,
    pub(crate) keymap: Arc<Keymap>,
    /// The editor of prompts; each slot has its own draft.
    pub(crate) composer: Composer,
    /// The folder whose files the composer finds.
    pub(crate) files_of: PathBuf,
    /// Wakes the loop from other threads.
    pub(crate) wake: Arc<Notify>,
    /// The file of earlier prompts.
    pub(crate) history: Option<HistoryFile>,
    /// The images from the clipboard.
    pub(crate) images: PastedImages,
    pub(crate) settings: ScreenSettings,
    /// The sessions, at least one.
    pub(crate) slots: Vec<Slot>,
    /// The index of the slot that is shown.
    pub(crate) focus: usize,
    pub(crate) last_slot: u64,
    /// The panel over the conversation.
    pub(crate) panel: Option<Box<dyn Panel>>,
    /// The area of the panel's content when it was last drawn.
    pub(crate) panel_area: Rect,
    pub(crate) question: Option<ShownQuestion>,
    /// Whether another question may have to be shown. Reading the questions of a session copies
    /// them, so it is not done for each frame.
    pub(crate) is_question_stale: bool,
    /// The status line of the session that is shown, as of the last frame.
    pub(crate) status: Option<StatusLine>,
    /// The session whose question is answered although another one is shown.
    pub(crate) answering: Option<(String, SessionId)>,
    /// Whether keys go to the conversation instead of the composer.
    pub(crate) is_reading: bool,
    /// Whether all rows were unfolded.
    pub(crate) is_unfolded: bool,
    pub(crate) notices: Notices,
    /// The whole terminal.
    pub(crate) area: Rect,
    /// The areas of the last drawing, for the mouse.
    pub(crate) conversation_area: Rect,
    pub(crate) question_area: Rect,
    pub(crate) composer_area: Rect,
    /// The area of the list beside the composer.
    pub(crate) list_area: Rect,
    /// Whether the person looks at the terminal.
    pub(crate) has_focus: bool,
    /// The number of questions that the person was notified of.
    pub(crate) notified: usize,
    /// Work in the background.
    pub(crate) tasks: JoinSet<Done>,
    /// The restore that is being planned.
    pub(crate) planning: Option<AbortHandle>,
    /// The restores that are being made, each with the owner of its checkpoints.
    pub(crate) restoring: Vec<(String, RestoreControl)>,
    /// Held while a decision about hunks is stored, so that the review is read after it.
    pub(crate) deciding: Arc<tokio::sync::Mutex<()>>,
    /// Whether the next frame differs from the last one.
    pub(crate) is_dirty: bool,
    /// Whether the next frame is drawn from nothing.
    pub(crate) is_redrawn: bool,
    /// When the person pressed the key that ends the screen the second time.
    pub(crate) interrupted: Option<Instant>,
    /// When the person pressed the key that clears the text the second time.
    pub(crate) escaped: Option<Instant>,
    /// When the person last pressed a key or pasted, anywhere on the screen.
    pub(crate) last_key: Option<Instant>,
    /// When Ctrl-D last deleted text, or came too soon after that to end the screen.
    pub(crate) deleted: Option<Instant>,
    /// When the person pressed Ctrl-D, which ends the screen the second time while work goes on.
    pub(crate) quitting: Option<Instant>,
    /// Whether the screen ends.
    pub(crate) is_ended: bool,
    /// A program that gets the terminal next.
    pub(crate) job: Option<TerminalJob>,
}

/// The question that is shown.
pub(crate) struct ShownQuestion {
    pub(crate) agent: String,
    /// The session; `None` for a question of the agent, such as one of a login.
    pub(crate) session: Option<SessionId>,
    pub(crate) id: QuestionId,
    pub(crate) about: QuestionAbout,
    pub(crate) panel: Box<dyn Panel>,
    /// Since when the terminal shows the question; `None` while something covers it.
    pub(crate) drawn: Option<Instant>,
    /// Whether the person chose to answer, or to write first; `None` if they did neither.
    pub(crate) is_taken: Option<bool>,
}

/// What a person must know of a session that was opened.
pub(crate) type Told = Vec<(NoticeLevel, String)>;

/// Work in the background that is done.
pub(crate) enum Done {
    /// A session was opened, or not.
    Opened { slot: SlotId, result: Result<(HubSession, Told), HubError> },
    /// There is something to say.
    Say(NoticeLevel, String),
    /// The list of sessions is out of date.
    Listed(Result<(), String>),
    /// A search in texts found these sessions.
    Found { text: String, found: Vec<FoundText> },
    /// A page of earlier messages was read.
    Earlier {
        slot: SlotId,
        /// The page ends before the event with this number.
        before: u64,
        page: Result<EntryPage, StoreError>,
    },
    /// The clipboard was read for the composer of a slot.
    Image { slot: SlotId, image: Result<Vec<u8>, String> },
    /// The checkpoints of a session were read for the timeline.
    Checkpoints { session: HubSession, taken: Result<Vec<Summary>, String>, is_undo: bool },
    /// A restore was planned.
    Planned(Result<Box<Plan>, String>),
    /// The checkpoints of a session were read for a review; `None` if there are none.
    ReviewRead { session: HubSession, changes: Result<Option<ReviewedChanges>, String> },
    /// A decision about hunks was stored, or not, and the review was read again.
    Decided {
        owner: String,
        changes: Result<ReviewedChanges, String>,
        said: Vec<(NoticeLevel, String)>,
    },
    /// Files were restored, and the conversation goes on in another session, if one is named.
    WentBack {
        session: HubSession,
        restored: Option<Restored>,
        rewound: Option<HubSession>,
        error: Option<String>,
    },
    /// The shared hub keeps this draft of a slot.
    DraftKept { slot: SlotId, draft: String },
    /// Nothing is to be done.
    Nothing,
    /// A session continues in a new one.
    Continued { of: HubSession, result: Result<HubSession, HubError> },
}

/// The time, in milliseconds since 1970.
pub(crate) fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

impl App {
    /// Makes the state before the first session opens.
    pub(crate) fn new(options: ScreenOptions, area: Rect) -> Self {
        let mut notices = Notices::default();
        options.notices.iter().for_each(|text| notices.warning(text));
        let keymap = Arc::new(options.keymap);
        let mut composer = Composer::new(keymap.clone());
        composer.set_vim(options.settings.vim);
        let history = options.history.map(HistoryFile::new);
        let earlier = history.as_ref().map(HistoryFile::read).unwrap_or_default();
        earlier.into_iter().for_each(|prompt| composer.add_history(prompt));
        Self {
            hub: options.hub,
            services: options.services,
            shared: options.shared,
            rules: options.rules,
            first: options.first,
            mcp_servers: options.mcp_servers,
            budget: options.budget,
            theme: options.theme,
            keymap,
            composer,
            files_of: PathBuf::new(),
            wake: Arc::default(),
            history,
            images: options.images.map_or(PastedImages::Temporary(None), PastedImages::Folder),
            settings: options.settings,
            slots: Vec::new(),
            focus: 0,
            last_slot: 0,
            panel: None,
            panel_area: Rect::default(),
            question: None,
            is_question_stale: true,
            status: None,
            answering: None,
            is_reading: false,
            is_unfolded: false,
            notices,
            area,
            conversation_area: Rect::default(),
            question_area: Rect::default(),
            composer_area: Rect::default(),
            list_area: Rect::default(),
            has_focus: true,
            notified: 0,
            tasks: JoinSet::new(),
            planning: None,
            restoring: Vec::new(),
            deciding: Arc::default(),
            is_dirty: true,
            is_redrawn: false,
            interrupted: None,
            escaped: None,
            last_key: None,
            deleted: None,
            quitting: None,
            is_ended: false,
            job: None,
        }
    }

    /// The slot that is shown.
    pub(crate) fn slot(&self) -> Option<&Slot> {
        self.slots.get(self.focus)
    }

    pub(crate) fn slot_mut(&mut self) -> Option<&mut Slot> {
        self.slots.get_mut(self.focus)
    }

    /// The session that is shown.
    pub(crate) fn session(&self) -> Option<&HubSession> {
        self.slot().and_then(Slot::session)
    }

    /// The slot with this session.
    pub(crate) fn slot_of(&self, agent: &str, id: &SessionId) -> Option<usize> {
        let is_it = |slot: &Slot| {
            slot.session().is_some_and(|it| it.agent().name() == agent && it.id() == id)
        };
        self.slots.iter().position(is_it)
    }

    /// Shows another slot.
    pub(crate) fn show(&mut self, index: usize) {
        if index >= self.slots.len() {
            return;
        }
        self.leave_question();
        self.store_draft();
        if let Some(slot) = self.slots.get_mut(self.focus) {
            slot.has_draft = !self.composer.is_empty();
            slot.draft = self.composer.swap(Draft::default());
        }
        self.focus = index;
        self.take_up_draft();
        self.drop_question();
        self.answering = None;
        self.is_reading = false;
        self.is_dirty = true;
    }

    /// Makes the next frame read which question to show.
    pub(crate) fn drop_question(&mut self) {
        self.leave_question();
        self.is_question_stale = true;
        self.is_dirty = true;
    }

    /// Removes the question from the screen. The composer gets the text that the person typed.
    pub(crate) fn leave_question(&mut self) {
        if let Some(question) = self.question.take() {
            self.keep_typed(&question.panel.typed_text());
        }
    }

    /// Adds a text that the person typed elsewhere to the text of the composer.
    pub(crate) fn keep_typed(&mut self, text: &str) {
        if text.trim().is_empty() {
            return;
        }
        let mut pieces = self.composer.pieces();
        if !pieces.is_empty() {
            pieces.push(Piece::Text("\n\n".to_owned()));
        }
        pieces.push(Piece::Text(text.to_owned()));
        self.composer.set_pieces(&pieces);
        self.notices.info("your text for the question is in the composer");
    }

    /// Puts the draft of the slot that is shown into the composer.
    pub(crate) fn take_up_draft(&mut self) {
        let Some(slot) = self.slots.get_mut(self.focus) else { return };
        self.composer.swap(std::mem::take(&mut slot.draft));
        for pieces in std::mem::take(&mut slot.restored) {
            let mut all = self.composer.pieces();
            if !self.composer.is_empty() {
                all.push(Piece::Text("\n\n".to_owned()));
            }
            all.extend(pieces);
            self.composer.set_pieces(&all);
        }
        let cwd = slot.cwd.clone();
        if cwd != self.files_of {
            let wake = self.wake.clone();
            let files = FileFinder::start(&cwd, Arc::new(move || wake.notify_one()));
            self.composer.set_files(files.ok());
            self.files_of = cwd;
        }
        self.refresh_commands();
    }

    /// Puts a text back into the composer of a slot.
    pub(crate) fn restore(&mut self, index: usize, pieces: Vec<Piece>) {
        let Some(slot) = self.slots.get_mut(index) else { return };
        slot.restored.push(pieces);
        if index == self.focus {
            let draft = self.composer.swap(Draft::default());
            if let Some(slot) = self.slots.get_mut(index) {
                slot.draft = draft;
            }
            self.take_up_draft();
        }
    }

    /// Tells the composer which commands there are.
    pub(crate) fn refresh_commands(&mut self) {
        let own = COMMANDS.iter().map(|(name, hint, description)| SlashCommand {
            name: (*name).to_owned(),
            description: (*description).to_owned(),
            hint: (*hint).to_owned(),
        });
        let mut commands: Vec<SlashCommand> = own.collect();
        if let Some(session) = self.session() {
            for command in session.snapshot().commands() {
                let name = sanitize::line(&command.name);
                if !commands.iter().any(|own| own.name == name) {
                    let description = sanitize::line(&command.description);
                    commands.push(SlashCommand { name, description, hint: String::new() });
                }
            }
        }
        self.composer.set_commands(commands);
    }
}
