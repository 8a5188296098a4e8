//! The layout of the screen: tabs, conversation, question, queue, messages, composer, status.

use crate::app::slot::{Badge, SlotContent};
use crate::app::state::{App, now};
use crate::composer::{ComposerStyles, Piece};
use crate::layout::width;
use crate::panel::attention::title_of;
use crate::panel::drawing::{cut, framed, put, wrap};
use crate::panel::queue::prompt_line;
use crate::popup::{ListStyles, place};
use crate::theme::Element;
use attache_view::{NoticeLevel, Role, StatusLine, sanitize};
use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Modifier;
use ratatui::widgets::{Clear, Widget as _};

/// The smallest terminal that the screen supports.
const WIDTH: u16 = 40;
const HEIGHT: u16 = 12;

/// The fewest rows of a question: its frame, three of what it asks, and one answer.
const QUESTION: u16 = 6;

/// The most waiting prompts, and lines of messages, that are shown.
const QUEUED: usize = 3;
const MESSAGES: usize = 6;

/// Takes rows from the bottom of an area.
fn take_bottom(area: &mut Rect, rows: u16) -> Rect {
    let rows = rows.min(area.height);
    area.height -= rows;
    Rect { y: area.bottom(), height: rows, ..*area }
}

impl App {
    /// Draws the screen.
    pub(crate) fn draw(&mut self, frame: &mut Frame<'_>) {
        let area = frame.area();
        self.area = area;
        if area.width < WIDTH || area.height < HEIGHT {
            self.question_area = Rect::default();
            return draw_too_small(area, frame.buffer_mut());
        }
        self.refresh_question();
        self.status = self.session().map(StatusLine::of);
        self.say_turn_end();
        let buffer = frame.buffer_mut();
        let mut rest = area;
        if self.slots.len() > 1 {
            let tabs = Rect { height: 1, ..rest };
            rest = Rect { y: rest.y + 1, height: rest.height - 1, ..rest };
            self.draw_tabs(tabs, buffer);
        }
        let status = take_bottom(&mut rest, 1);
        self.draw_status(status, buffer);
        let wanted = self.composer.height(rest.width, (area.height / 3).max(1));
        let composer = take_bottom(&mut rest, wanted);
        let rule = take_bottom(&mut rest, 1);
        self.draw_rule(rule, buffer);
        self.composer_area = composer;
        // The question gets its rows before messages and waiting prompts, which are below it.
        let asked = self.question_rows(rest);
        let mut below = Rect { y: rest.y + asked, height: rest.height - asked, ..rest };
        self.draw_notices(&mut below, buffer);
        self.draw_queue(&mut below, buffer);
        rest.height = asked + below.height;
        self.draw_question(&mut rest, asked, buffer);
        self.conversation_area = rest;
        self.draw_conversation(rest, buffer);
        let cursor = self.draw_composer(composer, rest, buffer);
        let has_panel = self.panel.is_some();
        if has_panel {
            self.draw_panel(Rect { height: area.height - 1, ..area }, buffer);
        }
        self.theme.glyphs().simplify(buffer);
        let has_cursor = !has_panel && !self.is_reading && !self.question_has_keys();
        if let Some(cursor) = cursor.filter(|_| has_cursor) {
            frame.set_cursor_position(cursor);
        }
    }

    fn draw_tabs(&mut self, area: Rect, buffer: &mut Buffer) {
        let mut x = area.x;
        for (index, slot) in self.slots.iter().enumerate() {
            let focused = index == self.focus;
            let (mark, role) = match slot.read_badge(focused) {
                Badge::Waiting => ("?", Role::Warning),
                Badge::Running => ("*", Role::Running),
                Badge::Unread => ("+", Role::Success),
                Badge::Failed => ("!", Role::Error),
                Badge::None => (" ", Role::Muted),
            };
            let title = slot.session().map_or_else(|| sanitize::line(&slot.agent), title_of);
            let room = (usize::from(area.width) / self.slots.len()).saturating_sub(6).clamp(4, 30);
            let text = format!("{} {} ", index + 1, cut(&title, room));
            let mut style = self.theme.role(if focused { Role::Text } else { Role::Muted });
            if focused {
                style = style.add_modifier(Modifier::BOLD | Modifier::REVERSED);
            }
            x = put(buffer, x, area.y, area.right(), &format!(" {mark}"), self.theme.role(role));
            x = put(buffer, x, area.y, area.right(), &text, style);
        }
    }

    fn draw_rule(&self, area: Rect, buffer: &mut Buffer) {
        let theme = &self.theme;
        let line = theme.glyphs().horizontal.repeat(usize::from(area.width));
        put(buffer, area.x, area.y, area.right(), &line, theme.role(Role::Muted));
        let text = match self.activity() {
            Some((text, role)) => Some((text, role)),
            None if self.is_reading => {
                Some(("reading: Tab returns to the text".to_owned(), Role::Muted))
            }
            None => None,
        };
        let Some((text, role)) = text else { return };
        let text = format!(" {} ", cut(&text, usize::from(area.width).saturating_sub(4)));
        put(buffer, area.x + 1, area.y, area.right(), &text, theme.role(role));
    }

    fn draw_status(&self, area: Rect, buffer: &mut Buffer) {
        let theme = &self.theme;
        let separator = format!(" {} ", theme.glyphs().separator);
        let mut parts = self.status_parts();
        let help = format!("{} help", self.key_name(crate::keymap::Action::Help));
        let columns = |parts: &[crate::app::status_line::Part]| -> usize {
            parts.iter().map(|part| width(&part.text) + 3).sum()
        };
        while parts.len() > 1 && columns(&parts) > usize::from(area.width) {
            let least = parts.iter().enumerate().min_by_key(|(_, part)| part.rank);
            let Some((least, _)) = least else { break };
            parts.remove(least);
        }
        let mut x = area.x;
        for (index, part) in parts.iter().enumerate() {
            if index > 0 {
                x = put(buffer, x, area.y, area.right(), &separator, theme.role(Role::Muted));
            }
            let text = cut(&part.text, usize::from(area.right().saturating_sub(x)));
            x = put(buffer, x, area.y, area.right(), &text, theme.role(part.role));
        }
        let at = area.right().saturating_sub(width(&help) as u16);
        if at > x + 2 {
            put(buffer, at, area.y, area.right(), &help, theme.role(Role::Muted));
        }
    }

    /// The first key of an action, for hints.
    pub(crate) fn key_name(&self, action: crate::keymap::Action) -> String {
        let keys = self.keymap.keys(self.context(), action);
        keys.first().map(ToString::to_string).unwrap_or_default()
    }

    fn draw_notices(&mut self, rest: &mut Rect, buffer: &mut Buffer) {
        let width = usize::from(rest.width).saturating_sub(2).max(1);
        let glyphs = *self.theme.glyphs();
        let mut lines = Vec::new();
        for notice in self.notices.shown() {
            let (mark, role) = match notice.level {
                NoticeLevel::Info => (glyphs.info, Role::Muted),
                NoticeLevel::Warning => (glyphs.warning, Role::Warning),
                NoticeLevel::Error => (glyphs.failed, Role::Error),
            };
            let wrapped = wrap(&notice.text, width).into_iter().enumerate();
            lines.extend(wrapped.map(|(at, line)| (if at == 0 { mark } else { " " }, role, line)));
        }
        let most = MESSAGES.min(usize::from(rest.height) / 3);
        let hidden = lines.len().saturating_sub(most);
        if hidden > 0 && most > 0 {
            let more = format!("{} earlier lines: /notices shows them", hidden + 1);
            lines.drain(..=hidden.min(lines.len() - 1));
            lines.insert(0, (glyphs.up, Role::Muted, more));
        }
        let area = take_bottom(rest, lines.len() as u16);
        for ((mark, role, line), y) in lines.iter().zip(area.y..area.bottom()) {
            let style = self.theme.role(*role);
            put(buffer, area.x, y, area.right(), mark, style);
            put(buffer, area.x + 2, y, area.right(), line, style);
        }
    }

    fn draw_queue(&mut self, rest: &mut Rect, buffer: &mut Buffer) {
        let Some(slot) = self.slot() else { return };
        let text = |pieces: &Vec<Piece>| pieces.iter().map(Piece::text).collect::<String>();
        let early = slot.early.iter().map(|pieces| sanitize::line(&text(pieces)));
        let queue = slot.session().map(|session| session.queue()).unwrap_or_default();
        let waiting: Vec<String> =
            early.chain(queue.iter().map(|queued| prompt_line(&queued.prompt))).collect();
        if waiting.is_empty() {
            return;
        }
        let held = slot.session().and_then(|session| session.held());
        let key = self.key_name(crate::keymap::Action::Queue);
        let head = match held {
            Some(why) => {
                let resume = self.key_name(crate::keymap::Action::ResumeQueue);
                let why = sanitize::visible_line(&why.to_string());
                format!("queue paused, {why}: {resume} resumes it, {key} edits it")
            }
            None if slot.session().is_none() => "sent when the session is open".to_owned(),
            None => format!("waiting for their turn: {key} edits, reorders, removes, sends now"),
        };
        let area = take_bottom(rest, 1 + waiting.len().min(QUEUED) as u16);
        if area.is_empty() {
            return;
        }
        let muted = self.theme.role(Role::Muted);
        let width = usize::from(area.width);
        put(buffer, area.x, area.y, area.right(), &cut(&head, width), muted);
        let more = waiting.len().saturating_sub(QUEUED);
        for (index, (text, y)) in waiting.iter().zip(area.y + 1..area.bottom()).enumerate() {
            let text = match more > 0 && index + 1 == QUEUED {
                true => format!("  … and {} more", more + 1),
                false => format!("  {} {text}", index + 1),
            };
            put(buffer, area.x, y, area.right(), &cut(&text, width), self.theme.role(Role::Text));
        }
    }

    /// The number of rows of the question with its frame.
    fn question_rows(&self, rest: Rect) -> u16 {
        let Some(question) = &self.question else { return 0 };
        let most = (rest.height * 3 / 4).max(rest.height.saturating_sub(4)).max(QUESTION);
        let wanted = question.panel.height(rest.width.saturating_sub(4)).saturating_add(2);
        wanted.min(most).min(rest.height)
    }

    fn draw_question(&mut self, rest: &mut Rect, rows: u16, buffer: &mut Buffer) {
        let has_keys = self.question_has_keys();
        self.question_area = Rect::default();
        let is_elsewhere = self.answering.is_some();
        let writing = !is_elsewhere && (!self.composer.is_empty() || self.is_reading);
        let Some(question) = &mut self.question else { return };
        let area = take_bottom(rest, rows);
        self.question_area = area;
        let hints = question.panel.hints();
        let context = question.panel.context();
        let keys: Vec<(String, &str)> = match has_keys || question.is_taken.is_none() && !writing {
            true => hints
                .into_iter()
                .filter_map(|(action, does)| {
                    let keys = self.keymap.keys(context, action);
                    keys.first().map(|key| (key.to_string(), does))
                })
                .collect(),
            false => vec![("tab".to_owned(), "answer")],
        };
        let keys: Vec<(&str, &str)> =
            keys.iter().map(|(key, does)| (key.as_str(), *does)).collect();
        let inside = framed(area, buffer, &self.theme, &question.panel.title(), &keys);
        let inside = Rect { x: inside.x + 1, width: inside.width.saturating_sub(2), ..inside };
        question.panel.render(inside, buffer, &self.theme);
    }

    fn draw_conversation(&mut self, area: Rect, buffer: &mut Buffer) {
        let theme = self.theme.clone();
        let welcome = self.welcome();
        let Some(slot) = self.slots.get_mut(self.focus) else { return };
        match &mut slot.content {
            SlotContent::Open(conversation) => {
                conversation.update(now());
                slot.seen = conversation.sequence;
                self.is_dirty |= conversation.has_more;
                let said = conversation.read_earlier(slot.id, &mut self.tasks);
                self.is_dirty |= conversation.has_more;
                if let Some(said) = said {
                    self.notices.info(&said);
                    self.is_dirty = true;
                }
                if conversation.is_empty() {
                    put_paragraphs(&welcome, area, buffer, &theme);
                } else {
                    conversation.transcript.render(area, buffer, &theme);
                }
            }
            SlotContent::Opening { .. } => put_paragraphs(&welcome, area, buffer, &theme),
            SlotContent::Failed(why) => {
                let text = [
                    (why.clone(), Role::Error),
                    (String::new(), Role::Text),
                    (
                        "/agents chooses another agent or logs in; /new tries again.".to_owned(),
                        Role::Text,
                    ),
                ];
                put_paragraphs(&text, area, buffer, &theme);
            }
        }
    }

    /// What an empty conversation says: which agent and model, in which folder, and how to begin.
    fn welcome(&self) -> Vec<(String, Role)> {
        let Some(slot) = self.slot() else { return Vec::new() };
        let mut text = vec![("Attaché".to_owned(), Role::Heading), (String::new(), Role::Text)];
        let folder = sanitize::line(&slot.cwd.to_string_lossy());
        text.push((format!("Agent: {}", sanitize::line(&slot.agent)), Role::Text));
        text.push((format!("Folder: {folder}"), Role::Text));
        if let Some(session) = slot.session() {
            let snapshot = session.snapshot();
            for option in snapshot.config().visible().take(4) {
                let value = crate::panel::settings::shown_value(option);
                if let Some(value) = value {
                    text.push((format!("{}: {value}", sanitize::line(&option.name)), Role::Text));
                }
            }
            text.extend(
                self.services.hints(&slot.agent, &snapshot).into_iter().map(|it| (it, Role::Muted)),
            );
        }
        text.push((String::new(), Role::Text));
        text.push(("Write what to do, and press Enter. @ attaches a file, / lists commands, ! runs a shell command.".to_owned(), Role::Muted));
        let help = self.key_name(crate::keymap::Action::Help);
        let sessions = self.key_name(crate::keymap::Action::Sessions);
        text.push((
            format!("{help} shows all keys; {sessions} lists earlier sessions."),
            Role::Muted,
        ));
        text
    }

    fn draw_composer(&mut self, area: Rect, above: Rect, buffer: &mut Buffer) -> Option<Position> {
        let theme = &self.theme;
        let unicode = theme.glyphs().unicode;
        let styles = ComposerStyles {
            text: theme.role(Role::Text),
            mark: theme.role(Role::Name).add_modifier(Modifier::BOLD),
            shell: theme.role(Role::Code).add_modifier(Modifier::BOLD),
            placeholder: theme.role(Role::Muted),
            chip: theme.role(Role::Name).add_modifier(Modifier::UNDERLINED),
            selection: theme.element(Element::Selection),
            unicode,
        };
        let cursor = self.composer.render(area, buffer, &styles);
        self.list_area = Rect::default();
        if let Some(list) = self.composer.popup() {
            let area = place(list.height(), area, above.union(area));
            self.list_area = area;
            let styles = ListStyles {
                name: theme.role(Role::Text),
                detail: theme.role(Role::Muted),
                matched: theme.role(Role::Name).add_modifier(Modifier::BOLD),
                selected: theme.element(Element::Selection),
                unicode,
            };
            Clear.render(area, buffer);
            list.render(area, buffer, &styles);
        }
        cursor
    }
}

fn put_paragraphs(
    text: &[(String, Role)],
    area: Rect,
    buffer: &mut Buffer,
    theme: &crate::theme::Theme,
) {
    let lines = text.iter().flat_map(|(text, role)| {
        let lines = wrap(text, usize::from(area.width).saturating_sub(2));
        lines.into_iter().map(move |line| (line, *role))
    });
    let mut lines: Vec<(String, Role)> = lines.collect();
    // Where there is little room, text is more useful than empty lines.
    if lines.len() > usize::from(area.height) {
        lines.retain(|(line, _)| !line.is_empty());
    }
    for ((line, role), y) in lines.iter().zip(area.y..area.bottom()) {
        put(buffer, area.x + 1, y, area.right(), line, theme.role(*role));
    }
}

fn draw_too_small(area: Rect, buffer: &mut Buffer) {
    let text = format!(
        "This terminal has {}x{} cells; the screen needs {WIDTH}x{HEIGHT}. Enlarge it, or press Ctrl-Q to quit.",
        area.width, area.height
    );
    let style = ratatui::style::Style::default();
    for (line, y) in wrap(&text, usize::from(area.width)).iter().zip(area.y..area.bottom()) {
        put(buffer, area.x, y, area.right(), line, style);
    }
}
