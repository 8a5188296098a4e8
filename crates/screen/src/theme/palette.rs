//! The styles of a theme by name.

use attache_view::Role;
use ratatui::style::Style;

/// A part of the screen that has a style of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Element {
    /// A border.
    Border,
    /// The border of the part that receives the keys.
    FocusedBorder,
    /// The title of a panel.
    Title,
    /// The selected row or choice.
    Selection,
    /// Text that a search found.
    Match,
    /// The text that the search shows now.
    CurrentMatch,
    /// Line numbers and the lines beside quotes and code.
    Gutter,
    /// The person's prompts.
    Prompt,
    /// Quotes.
    Quote,
    /// Links.
    Link,
    /// Bullets and numbers of lists.
    Marker,
    /// An added line of a diff.
    AddedLine,
    /// A removed line of a diff.
    RemovedLine,
    /// Words that differ in an added line.
    AddedWords,
    /// Words that differ in a removed line.
    RemovedWords,
    /// The status line.
    StatusLine,
    /// The name of a key in a hint.
    Key,
    /// The hint in an empty field.
    Placeholder,
    /// A paste or an image in the composer.
    Chip,
    /// The number of questions that wait.
    Badge,
}

const ROLES: [(Role, &str); 18] = [
    (Role::Text, "text"),
    (Role::Muted, "muted"),
    (Role::Heading, "heading"),
    (Role::Code, "code"),
    (Role::Path, "path"),
    (Role::Name, "name"),
    (Role::Added, "added"),
    (Role::Removed, "removed"),
    (Role::Success, "success"),
    (Role::Warning, "warning"),
    (Role::Error, "error"),
    (Role::Running, "running"),
    (Role::Keyword, "keyword"),
    (Role::Function, "function"),
    (Role::Type, "type"),
    (Role::String, "string"),
    (Role::Constant, "constant"),
    (Role::Comment, "comment"),
];

const ELEMENTS: [(Element, &str); 20] = [
    (Element::Border, "border"),
    (Element::FocusedBorder, "focused-border"),
    (Element::Title, "title"),
    (Element::Selection, "selection"),
    (Element::Match, "match"),
    (Element::CurrentMatch, "current-match"),
    (Element::Gutter, "gutter"),
    (Element::Prompt, "prompt"),
    (Element::Quote, "quote"),
    (Element::Link, "link"),
    (Element::Marker, "marker"),
    (Element::AddedLine, "added-line"),
    (Element::RemovedLine, "removed-line"),
    (Element::AddedWords, "added-words"),
    (Element::RemovedWords, "removed-words"),
    (Element::StatusLine, "status-line"),
    (Element::Key, "key"),
    (Element::Placeholder, "placeholder"),
    (Element::Chip, "chip"),
    (Element::Badge, "badge"),
];

/// A name of a theme file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Entry {
    Role(Role),
    Element(Element),
}

/// The styles of a theme.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Palette {
    roles: [Style; ROLES.len()],
    elements: [Style; ELEMENTS.len()],
}

impl Palette {
    /// Returns the entry of this name.
    pub(super) fn entry(name: &str) -> Option<Entry> {
        let role = ROLES.iter().find(|(_, known)| *known == name);
        let element = ELEMENTS.iter().find(|(_, known)| *known == name);
        role.map(|(role, _)| Entry::Role(*role))
            .or_else(|| element.map(|(element, _)| Entry::Element(*element)))
    }

    /// Returns the names of all entries.
    #[cfg(test)]
    pub(super) fn names() -> impl Iterator<Item = &'static str> {
        ROLES.iter().map(|(_, name)| *name).chain(ELEMENTS.iter().map(|(_, name)| *name))
    }

    pub(super) fn role(&self, role: Role) -> Style {
        let index = ROLES.iter().position(|(known, _)| *known == role);
        index.and_then(|index| self.roles.get(index)).copied().unwrap_or_default()
    }

    pub(super) fn element(&self, element: Element) -> Style {
        let index = ELEMENTS.iter().position(|(known, _)| *known == element);
        index.and_then(|index| self.elements.get(index)).copied().unwrap_or_default()
    }

    pub(super) fn set(&mut self, entry: Entry, style: Style) {
        let slot = match entry {
            Entry::Role(role) => {
                let index = ROLES.iter().position(|(known, _)| *known == role);
                index.and_then(|index| self.roles.get_mut(index))
            }
            Entry::Element(element) => {
                let index = ELEMENTS.iter().position(|(known, _)| *known == element);
                index.and_then(|index| self.elements.get_mut(index))
            }
        };
        if let Some(slot) = slot {
            *slot = style;
        }
    }
}
