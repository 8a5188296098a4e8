//! The files of images from the clipboard.

use crate::composer::ImageFile;
use crate::composer::image::format_of;
use std::fs;
use std::io::{self, Write as _};
use std::path::Path;
use std::time::Duration;

/// The beginning of the names of the files.
const PREFIX: &str = "pasted-";

/// How long the files stay.
const KEPT: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// The folder of the images from the clipboard.
#[derive(Debug)]
pub(crate) enum PastedImages {
    /// A folder whose images stay for 30 days, so that drafts and earlier prompts have them.
    Folder(std::path::PathBuf),
    /// A folder that is removed at the end.
    Temporary(Option<tempfile::TempDir>),
}

impl PastedImages {
    /// Writes an image to a new file.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written.
    pub(crate) fn store(&mut self, image: &[u8]) -> io::Result<ImageFile> {
        let folder = match self {
            Self::Folder(folder) => {
                fs::create_dir_all(&*folder)?;
                remove_old(folder);
                &**folder
            }
            Self::Temporary(folder) => {
                if folder.is_none() {
                    *folder = Some(tempfile::Builder::new().prefix("attache-images-").tempdir()?);
                }
                folder.as_ref().map(tempfile::TempDir::path).ok_or(io::ErrorKind::NotFound)?
            }
        };
        let extension = format_of(image).unwrap_or("png").to_ascii_lowercase();
        let suffix = format!(".{extension}");
        let file = tempfile::Builder::new().prefix(PREFIX).suffix(&suffix).tempfile_in(folder);
        let mut file = file?;
        file.write_all(image)?;
        let (_, path) = file.keep().map_err(|error| error.error)?;
        ImageFile::open(path).map_err(io::Error::other)
    }
}

/// Removes the images that are older than 30 days. An image that cannot be removed stays.
fn remove_old(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let age = entry.metadata().and_then(|meta| meta.modified()).ok();
        let is_old = age.and_then(|at| at.elapsed().ok()).is_some_and(|age| age > KEPT);
        if is_old && entry.file_name().to_string_lossy().starts_with(PREFIX) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;
    use std::time::SystemTime;

    #[test]
    fn images_are_stored_for_30_days() {
        let folder = tempfile::tempdir().unwrap();
        let images = folder.path().join("images");
        let mut pasted = PastedImages::Folder(images.clone());
        let image = pasted.store(b"\x89PNG\r\n\x1a\n").unwrap();
        assert!(image.path().starts_with(&images));
        let mine = images.join("mine.png");
        File::create(&mine).unwrap();
        for path in [image.path(), &mine] {
            let file = File::options().write(true).open(path).unwrap();
            file.set_modified(SystemTime::now() - 2 * KEPT).unwrap();
        }
        let newer = pasted.store(b"\xff\xd8\xff").unwrap();
        assert!(!image.path().exists() && mine.exists() && newer.path().exists());
        assert_eq!(newer.path().extension().unwrap(), "jpeg");
    }

    #[test]
    fn images_that_are_not_stored_go_at_the_end() {
        let mut pasted = PastedImages::Temporary(None);
        let path = pasted.store(b"\x89PNG\r\n\x1a\n").unwrap().path().to_owned();
        assert!(path.exists());
        drop(pasted);
        assert!(!path.exists());
    }
}
