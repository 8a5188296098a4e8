//! A form with one choice, answered in one step.

use super::dialog::{pressed, say, shown, titles};
use crate::key;
use crate::show::paint::{BOLD, DIM, Paint, YELLOW};
use attache_client::{Form, FormReply};
use attache_protocol::Map;
use attache_protocol::v1::{ElicitationContentValue as Value, ElicitationPropertySchema as Field};
use std::io;

/// The maximum number of choices that each have a key. With more choices, the person types a number
/// or a name.
const KEYS: usize = 9;

/// The only field of a form, with values to choose from.
pub(super) struct OneChoice<'f> {
    form: &'f Form,
    name: &'f str,
    field: &'f Field,
    /// The value for [`Form::read`] and the label of each choice.
    choices: Vec<(&'f str, &'f str)>,
}

impl<'f> OneChoice<'f> {
    /// Returns the choice if it is the only field of the form.
    pub(super) fn of(form: &'f Form) -> Option<Self> {
        let [(name, field)] = form.schema().properties.0.as_slice() else { return None };
        let choices = match field {
            Field::String(_) => Form::choices(field)?,
            Field::Boolean(_) => vec![("yes", "yes"), ("no", "no")],
            _ => return None,
        };
        (!choices.is_empty()).then_some(Self { form, name, field, choices })
    }

    /// Asks the person, who may decline or cancel instead.
    ///
    /// # Errors
    /// Returns an error if the terminal cannot be read.
    pub(super) async fn asked(&self, paint: Paint) -> io::Result<FormReply> {
        say(&self.lines(paint));
        match self.choices.len() <= KEYS {
            true => self.by_key().await,
            false => self.by_line(paint).await,
        }
    }

    fn lines(&self, paint: Paint) -> Vec<String> {
        let (title, description) = titles(self.field);
        let mut lines = vec![format!("  {}", paint.paint(BOLD, shown(title.unwrap_or(self.name))))];
        lines.extend(description.map(|text| format!("    {}", shown(text))));
        let suggested = self.form.defaults().get(self.name).cloned();
        let choice = |(number, (value, title)): (usize, &(&str, &str))| {
            let is_suggested = suggested.is_some() && self.value(value) == suggested;
            let note = if is_suggested { paint.paint(DIM, "  (suggested)") } else { String::new() };
            format!("    [{}] {}{note}", paint.paint(BOLD, number), shown(title))
        };
        lines.extend((1..).zip(&self.choices).map(choice));
        lines
    }

    async fn by_key(&self) -> io::Result<FormReply> {
        let numbers: String = (1..=self.choices.len()).map(|number| number.to_string()).collect();
        let empty = if self.form.is_required(self.name) { "" } else { "-" };
        let keys = format!("{numbers}{empty}nc");
        let slashed: Vec<String> = keys.chars().map(String::from).collect();
        let leaves = if empty.is_empty() { "" } else { ", - leaves it empty" };
        let prompt =
            format!("a number sends it{leaves}, n declines, c cancels [{}] ", slashed.join("/"));
        Ok(match pressed(&prompt, keys.as_bytes()).await? {
            'n' => FormReply::Decline,
            '-' => FormReply::Accept(Map::default()),
            key => self.chosen(&key.to_string()).unwrap_or(FormReply::Cancel),
        })
    }

    async fn by_line(&self, paint: Paint) -> io::Result<FormReply> {
        loop {
            let prompt = "    a number or a name sends it; nothing declines > ".to_owned();
            let Some(typed) = key::line(prompt).await? else { return Ok(FormReply::Cancel) };
            if typed.trim().is_empty() {
                return Ok(FormReply::Decline);
            }
            match self.chosen(&typed) {
                Some(answer) => return Ok(answer),
                None => say(&[format!("    {}", paint.paint(YELLOW, "there is no such choice"))]),
            }
        }
    }

    /// Returns the reply for a number or a name.
    fn chosen(&self, typed: &str) -> Option<FormReply> {
        let numbered = typed.trim().parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        let word =
            numbered.and_then(|index| self.choices.get(index)).map_or(typed, |(value, _)| value);
        let values = Map(vec![(self.name.to_owned(), self.value(word)?)]);
        self.form.check(&values).is_ok().then_some(FormReply::Accept(values))
    }

    fn value(&self, word: &str) -> Option<Value> {
        self.form.read(self.name, word).ok()
    }
}
