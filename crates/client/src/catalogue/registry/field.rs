//! A value in a JSON file with its location, for error messages.

use super::registry_error::RegistryError;
use serde_json::Value;

/// A location in a JSON file, and the value there, if there is one.
pub(super) struct Field<'v> {
    place: String,
    value: Option<&'v Value>,
}

impl<'v> Field<'v> {
    pub(super) fn whole(value: &'v Value) -> Self {
        Self { place: String::new(), value: Some(value) }
    }

    pub(super) fn member(&self, name: &str) -> Self {
        let place = match self.place.as_str() {
            "" => name.to_owned(),
            place => format!("{place}.{name}"),
        };
        Self { place, value: self.value.and_then(|value| value.get(name)) }
    }

    pub(super) fn fault(&self, expected: &'static str) -> RegistryError {
        let field = if self.place.is_empty() { "(the whole file)" } else { &self.place };
        RegistryError::Field { field: field.to_owned(), expected }
    }

    /// The field itself, unless it is absent or null.
    pub(super) fn given(self) -> Option<Self> {
        self.value.is_some_and(|value| !value.is_null()).then_some(self)
    }

    pub(super) fn object(&self) -> Result<(), RegistryError> {
        self.value
            .filter(|value| value.is_object())
            .map(drop)
            .ok_or_else(|| self.fault("an object"))
    }

    pub(super) fn text(&self) -> Result<String, RegistryError> {
        let text = self.value.and_then(Value::as_str).filter(|text| !text.is_empty());
        text.map(str::to_owned).ok_or_else(|| self.fault("a text that is not empty"))
    }

    /// A command-line argument that cannot be mistaken for an option.
    pub(super) fn word(&self) -> Result<String, RegistryError> {
        let text = self.text()?;
        match text.starts_with('-') || text.contains(char::is_control) {
            true => Err(self.fault("a name that does not begin with a hyphen")),
            false => Ok(text),
        }
    }

    pub(super) fn items(&self) -> Result<Vec<Self>, RegistryError> {
        let items = self.value.and_then(Value::as_array).ok_or_else(|| self.fault("a list"))?;
        let item =
            |(index, value)| Self { place: format!("{}[{index}]", self.place), value: Some(value) };
        Ok(items.iter().enumerate().map(item).collect())
    }

    /// The members of an object; empty if it is absent or null.
    pub(super) fn members(&self) -> Result<Vec<(String, Self)>, RegistryError> {
        match self.value {
            None | Some(Value::Null) => Ok(Vec::new()),
            Some(Value::Object(members)) => {
                Ok(members.keys().map(|name| (name.clone(), self.member(name))).collect())
            }
            Some(_) => Err(self.fault("an object")),
        }
    }

    /// A list of strings; empty if it is absent or null.
    pub(super) fn texts(&self) -> Result<Vec<String>, RegistryError> {
        if self.value.is_none_or(Value::is_null) {
            return Ok(Vec::new());
        }
        let text = |item: &Self| {
            item.value
                .and_then(Value::as_str)
                .map(str::to_owned)
                .ok_or_else(|| item.fault("a text"))
        };
        self.items()?.iter().map(text).collect()
    }

    /// Environment variables; empty if the field is absent or null.
    pub(super) fn variables(&self) -> Result<Vec<(String, String)>, RegistryError> {
        let variable = |(name, field): (String, Self)| {
            let starts =
                name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
            if !starts || !name.chars().all(|each| each.is_ascii_alphanumeric() || each == '_') {
                return Err(field.fault("a name of letters, digits and _ for the variable"));
            }
            let value = field.value.and_then(Value::as_str).ok_or_else(|| field.fault("a text"))?;
            Ok((name, value.to_owned()))
        };
        self.members()?.into_iter().map(variable).collect()
    }
}
