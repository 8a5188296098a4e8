//! Images on the person's clipboard: from the terminal, or from the desktop by a program that is
//! installed. Nothing is read or run before the person presses the key for it.

use crate::composer::IMAGE_LIMIT;
use crate::composer::image::format_of;
use std::io;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::AsyncReadExt as _;
use tokio::process::Command;

/// The time that a program has.
const PROGRAM_TIME: Duration = Duration::from_secs(10);

/// The types of images to ask for, the best first.
pub(crate) const IMAGE_TYPES: [&str; 2] = ["image/png", "image/jpeg"];

/// Which way leads to the clipboard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ClipboardSource {
    /// The terminal, by the protocol of kitty.
    Terminal,
    /// Programs of the desktop, the first one that is installed.
    Programs(Vec<Vec<String>>),
}

/// Returns the way to the clipboard in this environment.
pub(crate) fn source(variable: impl Fn(&str) -> Option<String>) -> ClipboardSource {
    let is_set = |name: &str| variable(name).is_some_and(|value| !value.is_empty());
    let is_kitty = variable("TERM").is_some_and(|term| term == "xterm-kitty");
    if (is_kitty || is_set("KITTY_WINDOW_ID")) && !is_set("TMUX") {
        return ClipboardSource::Terminal;
    }
    let mut programs: Vec<Vec<&str>> = Vec::new();
    if is_set("WAYLAND_DISPLAY") {
        programs.extend(IMAGE_TYPES.map(|kind| vec!["wl-paste", "--no-newline", "--type", kind]));
    }
    if is_set("DISPLAY") {
        let xclip = |kind| vec!["xclip", "-selection", "clipboard", "-target", kind, "-out"];
        programs.extend(IMAGE_TYPES.map(xclip));
    }
    if cfg!(target_os = "macos") {
        programs.push(vec!["pngpaste", "-"]);
    }
    let owned = |words: Vec<&str>| words.into_iter().map(str::to_owned).collect();
    ClipboardSource::Programs(programs.into_iter().map(owned).collect())
}

/// Reads an image by the first program that has one.
///
/// # Errors
/// Returns a message for the person if no program is installed, or if none returns an image.
pub(crate) async fn read_by_program(programs: Vec<Vec<String>>) -> Result<Vec<u8>, String> {
    let mut is_any_installed = false;
    for words in &programs {
        let Some((program, arguments)) = words.split_first() else { continue };
        let image = match tokio::time::timeout(PROGRAM_TIME, output(program, arguments)).await {
            Err(_) => return Err(format!("{program} did not end within 10 seconds")),
            Ok(Err(error)) if error.kind() == io::ErrorKind::NotFound => continue,
            Ok(Err(error)) => return Err(format!("{program} did not start: {error}")),
            Ok(Ok(image)) => image,
        };
        is_any_installed = true;
        if format_of(&image).is_some() {
            return checked(image);
        }
    }
    let mut names: Vec<&str> =
        programs.iter().filter_map(|it| it.first()).map(|it| &**it).collect();
    names.dedup();
    Err(match (is_any_installed, names.is_empty()) {
        (true, _) => "the clipboard has no image".to_owned(),
        (false, false) => format!("an image on the clipboard needs {}", names.join(" or ")),
        (false, true) => {
            "this terminal cannot read images from the clipboard: paste the path of a file"
                .to_owned()
        }
    })
}

async fn output(program: &str, arguments: &[String]) -> io::Result<Vec<u8>> {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.kill_on_drop(true).spawn()?;
    let mut image = Vec::new();
    if let Some(stdout) = child.stdout.take() {
        stdout.take(IMAGE_LIMIT + 1).read_to_end(&mut image).await?;
    }
    Ok(image)
}

/// Returns the image if it is one, and not too large.
pub(crate) fn checked(image: Vec<u8>) -> Result<Vec<u8>, String> {
    match (format_of(&image), image.len() as u64 > IMAGE_LIMIT) {
        (None, _) => Err("the clipboard has no image".to_owned()),
        (_, true) => {
            Err(format!("the image on the clipboard is larger than {} MiB", IMAGE_LIMIT >> 20))
        }
        (Some(_), false) => Ok(image),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PNG: &[u8] = b"\x89PNG\r\n\x1a\n1234";

    #[test]
    fn the_source_fits_the_environment() {
        let of = |set: &'static [(&str, &str)]| {
            source(|name| {
                set.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
            })
        };
        assert_eq!(of(&[("TERM", "xterm-kitty"), ("DISPLAY", ":0")]), ClipboardSource::Terminal);
        let ClipboardSource::Programs(programs) = of(&[("DISPLAY", ":0")]) else { panic!() };
        assert!(programs.iter().any(|words| words[0] == "xclip"));
        assert!(programs.iter().all(|words| words[0] != "wl-paste"));
    }

    #[tokio::test]
    async fn a_program_returns_the_image() {
        let words = |words: &[&str]| words.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>();
        let missing = words(&["attache-no-such-program"]);
        let image = read_by_program(vec![
            missing.clone(),
            words(&["echo", "text"]),
            words(&["printf", "\\211PNG\\r\\n\\032\\n1234"]),
        ]);
        assert_eq!(image.await, Ok(PNG.to_vec()));
        assert!(read_by_program(vec![missing]).await.unwrap_err().contains("needs"));
        let none = read_by_program(vec![words(&["echo", "text"])]).await;
        assert_eq!(none, Err("the clipboard has no image".to_owned()));
        let large = words(&["sh", "-c", "printf '\\211PNG\\r\\n\\032\\n'; cat /dev/zero"]);
        assert!(read_by_program(vec![large]).await.unwrap_err().contains("larger than 10 MiB"));
    }
}
