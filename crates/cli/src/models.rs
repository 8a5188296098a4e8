//! The models of the built-in agent, as this machine has them: the person's settings and own list,
//! servers on loopback.

use crate::exit::Failure;
use crate::folder::is_missing;
use crate::settings::Settings;
use crate::show::sanitize;
use attache_coder::Models;
use std::path::PathBuf;

/// The person's own list of models and providers, in the configuration folder.
const OWN: &str = "models.json";

/// A longer one is not read, in bytes: the list that comes with the program has less than a tenth
/// of it.
const LONGEST: u64 = 4 << 20;

/// What there is, and a sentence where the person's own list cannot be used: then it is left out.
pub(crate) fn models(settings: &Settings) -> (Models, Option<String>) {
    let environment = |name: &str| settings.variable(name);
    let (own, why) = match own() {
        Ok(own) => (own, None),
        Err(why) => (None, Some(why)),
    };
    let (models, why) = match Models::of(&environment, own.as_deref()) {
        Ok(models) => (models, why),
        Err(error) => {
            let without = Models::of(&environment, None).unwrap_or_else(|_| Models::offline_only());
            (without, Some(format!("{}: {error}", shown())))
        }
    };
    (models.and_local(&environment), why)
}

/// Whether the model that the person's settings name can be used; where none is named there is
/// nothing to say.
///
/// # Errors
/// It cannot, for the reason that is said.
pub(crate) async fn usable() -> Result<(), Failure> {
    let settings = Settings::read();
    match models(&settings).0.unusable().await {
        Some(why) => Err(Failure::usage(why)),
        None => Ok(()),
    }
}

/// The text of the person's own list, if there is one.
pub(crate) fn own() -> Result<Option<String>, String> {
    let Some(path) = path() else { return Ok(None) };
    match attache_host::read_plain_text(&path, LONGEST) {
        Ok(text) => Ok(Some(text)),
        Err(error) if is_missing(&error) => Ok(None),
        Err(error) => Err(format!("{} cannot be read: {error}", shown())),
    }
}

fn path() -> Option<PathBuf> {
    crate::folder::configuration().map(|folder| folder.join(OWN))
}

/// Whether the person has a list of their own.
pub(crate) fn exists() -> bool {
    path().is_some_and(|path| path.exists())
}

/// Where the list is, for people.
pub(crate) fn shown() -> String {
    path().map_or_else(
        || OWN.to_owned(),
        |path| sanitize::visible(&path.display().to_string()).into_owned(),
    )
}
