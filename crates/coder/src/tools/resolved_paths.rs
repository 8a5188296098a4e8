//! The resolved paths of a call.

use attache_policy::{Folders, Place};

/// The targets of a call's paths in order, or the reason why one has no target.
#[derive(Debug, Clone)]
pub(crate) struct ResolvedPaths(Result<Vec<Place>, String>);

impl ResolvedPaths {
    /// Resolves these paths. Blocks on disk I/O.
    pub(crate) fn of(folders: &Folders, paths: &[String]) -> Self {
        let places = paths.iter().map(|path| folders.place(path));
        Self(places.collect::<Result<_, _>>().map_err(|error| error.to_string()))
    }

    /// The places, or none if one of the paths has no target.
    pub(crate) fn places(&self) -> &[Place] {
        self.0.as_deref().unwrap_or_default()
    }

    /// The place of the only path of a call.
    ///
    /// # Errors
    /// Returns a sentence for the model and the person if the path has no target.
    pub(crate) fn only(&self) -> Result<&Place, String> {
        match &self.0 {
            Ok(places) => places.first().ok_or_else(|| "the call names no path".to_owned()),
            Err(why) => Err(why.clone()),
        }
    }

    /// Whether `place` is one of the places.
    pub(crate) fn hold(&self, place: &Place) -> bool {
        let path = place.resolved.path();
        self.places().iter().any(|here| here.resolved.path() == path)
    }
}
