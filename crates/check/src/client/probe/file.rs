//! Files that a client reads and writes for the agent (FS), and the folders that it lets the agent
//! reach.

use crate::client::client_talk::{ClientTalk, ClientTurn};
use crate::client::run::ClientRun;
use crate::json::json;
use crate::judging::conversation::quoted;
use crate::judging::probe::probes;
use crate::judging::verdict::{Outcome, Probed, expect, fail, not_tested};
use attache_protocol::method::{FsReadTextFile, FsWriteTextFile};
use serde_json::Value;
use std::path::{Path, PathBuf};

probes! { ClientRun:
    "FS-03" line_and_limit_select_lines_of_a_file;
    "FS-04" an_empty_part_of_a_file_is_empty_text;
    "FS-05" malformed_line_and_limit_are_refused;
    "FS-06" a_write_creates_a_missing_file;
    "FS-07" a_write_replaces_the_whole_file;
    "FS-07" a_write_into_a_missing_folder_succeeds_or_is_refused;
    "FS-08" relative_paths_are_refused;
    "FS-09" a_missing_file_is_an_error;
    "FS-12" content_is_not_changed;
    "FS-12" a_huge_file_is_read_whole_or_refused;
    "RPC-27" folders_and_pipes_are_refused;
    "RPC-32" the_first_line_is_line_1;
    "FS-10" files_outside_the_session_are_refused;
    "SESS-05" a_folder_with_the_same_name_prefix_is_outside;
    "DIR-11" links_do_not_lead_outside_the_session;
}

/// The size, in bytes, of a file whose content exceeds the line limit of most ACP libraries.
const HUGE: usize = 33 * 1024 * 1024;

/// The error code for a missing file.
const NOT_FOUND: i64 = -32002;

/// Starts a turn with a client that offers these capabilities below `fs`.
async fn turn<'r>(
    run: &'r mut ClientRun,
    needs: &[&str],
) -> Probed<(&'r mut ClientTalk, ClientTurn)> {
    let (talk, turn) = run.turn(&["allow", "prompt"]).await?;
    needs.iter().try_for_each(|needed| talk.needs(&format!("/fs/{needed}")))?;
    Ok((talk, turn))
}

async fn read(talk: &mut ClientTalk, turn: &ClientTurn, params: Value) -> Probed<String> {
    let result = talk.call::<FsReadTextFile>(turn, params).await?.result()?;
    match result.get("content").and_then(Value::as_str) {
        Some(content) => Ok(content.to_owned()),
        None => fail("a string as content", quoted(&result.to_string())),
    }
}

/// Asks the client to write a file. A client that refuses must not write the file; the rule is then
/// not tested.
async fn write(talk: &mut ClientTalk, turn: &ClientTurn, path: &Path, content: &str) -> Probed {
    let before = std::fs::read(path).ok();
    let reply =
        talk.call::<FsWriteTextFile>(turn, json!({"path": path, "content": content})).await?;
    if reply.is_refused().is_err() || reply.is_error(NOT_FOUND).is_ok() {
        return reply.result().map(drop);
    }
    let is_untouched = std::fs::read(path).ok() == before;
    expect(is_untouched, "nothing is written when the write is refused", "the file changed")?;
    not_tested(format!("the client does not allow the write: {}", quoted(reply.text())))
}

/// Writes a file for a probe.
fn put(path: &Path, content: impl AsRef<[u8]>) -> Probed {
    std::fs::write(path, content)
        .or_else(|error| not_tested(format!("cannot write {}: {error}", path.display())))
}

/// Creates a file of 100 lines, `line 1` to `line 100`, and returns its path.
fn hundred(run: &ClientRun) -> Probed<PathBuf> {
    let path = run.folder().join("hundred-lines.txt");
    put(&path, lines(1..=100))?;
    Ok(path)
}

fn lines(numbers: impl Iterator<Item = u32>) -> String {
    numbers.map(|number| format!("line {number}\n")).collect()
}

/// Whether `seen` is the expected text. The line feed at its end may be missing.
fn is_text(seen: &str, expected: &str) -> bool {
    seen == expected || seen == expected.trim_end_matches('\n')
}

async fn line_and_limit_select_lines_of_a_file(run: &mut ClientRun) -> Probed {
    let path = hundred(run)?;
    let (talk, turn) = turn(run, &["readTextFile"]).await?;
    for (part, numbers) in [
        (json!({"path": path, "line": 10, "limit": 5}), 10..=14),
        (json!({"path": path, "line": 98}), 98..=100),
        (json!({"path": path, "limit": 3}), 1..=3),
        (json!({"path": path, "line": 99, "limit": 50}), 99..=100),
        (json!({"path": path, "line": null, "limit": null}), 1..=100),
    ] {
        let expected = format!("lines {} to {} for {part}", numbers.start(), numbers.end());
        let seen = read(talk, &turn, part).await?;
        expect(is_text(&seen, &lines(numbers)), expected, quoted(&seen))?;
    }
    Ok(())
}

async fn an_empty_part_of_a_file_is_empty_text(run: &mut ClientRun) -> Probed {
    let path = hundred(run)?;
    let (talk, turn) = turn(run, &["readTextFile"]).await?;
    for part in [json!({"path": path, "line": 101}), json!({"path": path, "line": 5, "limit": 0})] {
        let expected = format!("empty content for {part}");
        let seen = read(talk, &turn, part).await?;
        expect(seen.is_empty(), expected, quoted(&seen))?;
    }
    let reply =
        talk.call::<FsReadTextFile>(&turn, json!({"path": path, "line": 0, "limit": 1})).await?;
    if reply.is_error(-32602).is_ok() {
        return Ok(());
    }
    let first = reply.result()?.get("content").and_then(Value::as_str).map(str::to_owned);
    let seen = first.clone().unwrap_or_default();
    expect(
        first.is_some_and(|first| is_text(&first, "line 1\n")),
        "line 0 is line 1, or error -32602",
        quoted(&seen),
    )
}

async fn malformed_line_and_limit_are_refused(run: &mut ClientRun) -> Probed {
    let path = hundred(run)?;
    let (talk, turn) = turn(run, &["readTextFile"]).await?;
    for part in [
        json!({"line": "1"}),
        json!({"line": -1}),
        json!({"limit": "5"}),
        json!({"limit": -5}),
        json!({"line": 1.5}),
    ] {
        let mut params = part.clone();
        if let Value::Object(params) = &mut params {
            params.insert("path".to_owned(), json!(path));
        }
        let reply = talk.call::<FsReadTextFile>(&turn, params).await?;
        reply.is_error(-32602).map_err(|outcome| outcome.about(&part.to_string()))?;
    }
    Ok(())
}

async fn a_write_creates_a_missing_file(run: &mut ClientRun) -> Probed {
    let path = run.new_path();
    let (talk, turn) = turn(run, &["writeTextFile"]).await?;
    write(talk, &turn, &path, "made\n").await?;
    has(&path, "made\n")
}

/// Checks the content of the file on disk.
fn has(path: &Path, expected: &str) -> Probed {
    let seen = match std::fs::read(path) {
        Ok(seen) if seen == expected.as_bytes() => return Ok(()),
        Ok(seen) => quoted(&format!("{:?}", String::from_utf8_lossy(&seen))),
        Err(error) => format!("it cannot be read: {error}"),
    };
    fail(quoted(&format!("the file on disk is {expected:?}")), seen)
}

async fn a_write_replaces_the_whole_file(run: &mut ClientRun) -> Probed {
    let path = run.new_path();
    put(&path, "a longer text than the next one\n")?;
    let (talk, turn) = turn(run, &["writeTextFile"]).await?;
    write(talk, &turn, &path, "short").await?;
    has(&path, "short")
}

async fn a_write_into_a_missing_folder_succeeds_or_is_refused(run: &mut ClientRun) -> Probed {
    let path = run.new_path().join("deep").join("file.txt");
    let (talk, turn) = turn(run, &["writeTextFile"]).await?;
    let reply =
        talk.call::<FsWriteTextFile>(&turn, json!({"path": path, "content": "deep"})).await?;
    if reply.is_refused().is_ok() {
        return expect(
            !path.exists(),
            "nothing is written when the write is refused",
            "the file exists",
        );
    }
    has(&path, "deep")
}

async fn relative_paths_are_refused(run: &mut ClientRun) -> Probed {
    let (name, folder) = (run.nonce(), run.folder().to_owned());
    put(&folder.join(&name), "x")?;
    let (talk, turn) = turn(run, &["readTextFile"]).await?;
    talk.call::<FsReadTextFile>(&turn, json!({"path": name})).await?.is_refused()?;
    if talk.offers("/fs/writeTextFile") {
        let new = format!("{name}-new");
        talk.call::<FsWriteTextFile>(&turn, json!({"path": new, "content": "x"}))
            .await?
            .is_refused()?;
        expect(
            !folder.join(new).exists(),
            "nothing is written at a relative path",
            "the file exists",
        )?;
    }
    Ok(())
}

async fn a_missing_file_is_an_error(run: &mut ClientRun) -> Probed {
    let path = run.new_path();
    let (talk, turn) = turn(run, &["readTextFile"]).await?;
    talk.call::<FsReadTextFile>(&turn, json!({"path": path})).await?.is_refused()
}

/// Texts that a client may change by mistake.
const TEXTS: [&str; 4] = [
    "one\r\ntwo\r\n",
    "no end",
    "\n\n  spaces kept \t\n\n",
    "snow \u{2603}, smile \u{1F642}, \u{FEFF}mark, \u{2028}line",
];

async fn content_is_not_changed(run: &mut ClientRun) -> Probed {
    let path = run.new_path();
    let (talk, turn) = turn(run, &[]).await?;
    for text in TEXTS {
        if talk.offers("/fs/readTextFile") {
            put(&path, text)?;
            let seen = read(talk, &turn, json!({"path": path})).await?;
            expect(seen == text, format!("{text:?} is read"), quoted(&format!("{seen:?}")))?;
        }
        if talk.offers("/fs/writeTextFile") {
            match write(talk, &turn, &path, text).await {
                // Reading can still be judged if the client refuses writes.
                Err(Outcome::NotTested(_)) if talk.offers("/fs/readTextFile") => continue,
                written => written?,
            }
            has(&path, text)?;
        }
    }
    if talk.offers("/fs/readTextFile") { Ok(()) } else { talk.needs("/fs/writeTextFile") }
}

async fn a_huge_file_is_read_whole_or_refused(run: &mut ClientRun) -> Probed {
    let path = run.folder().join("huge.txt");
    let (talk, turn) = turn(run, &["readTextFile"]).await?;
    put(&path, vec![b'x'; HUGE])?;
    let reply = talk.call::<FsReadTextFile>(&turn, json!({"path": path})).await;
    let _gone = std::fs::remove_file(&path);
    let reply = reply?;
    if reply.is_refused().is_ok() {
        return Ok(());
    }
    let length = reply.result()?.get("content").and_then(Value::as_str).map_or(0, str::len);
    let expected = format!("all {HUGE} bytes of the file, or an error");
    expect(length == HUGE, expected, format!("{length} bytes, and no error"))
}

async fn folders_and_pipes_are_refused(run: &mut ClientRun) -> Probed {
    let folder = run.folder().to_owned();
    let pipe = folder.join(run.nonce());
    create_pipe(&pipe)?;
    let (talk, turn) = turn(run, &["readTextFile"]).await?;
    for path in [folder, pipe] {
        let reply = talk.call::<FsReadTextFile>(&turn, json!({"path": path})).await?;
        reply.is_refused().map_err(|outcome| outcome.about(&path.to_string_lossy()))?;
    }
    Ok(())
}

async fn the_first_line_is_line_1(run: &mut ClientRun) -> Probed {
    let path = hundred(run)?;
    let (talk, turn) = turn(run, &["readTextFile"]).await?;
    let seen = read(talk, &turn, json!({"path": path, "line": 1, "limit": 1})).await?;
    expect(is_text(&seen, "line 1\n"), "line 1 is the first line", quoted(&seen))
}

/// A folder outside the session's folder, with a file that the agent must not reach. Dropping the
/// value removes the folder.
struct OutsideFolder(PathBuf);

const SECRET: &str = "attache check: outside the session";

impl OutsideFolder {
    fn new(run: &ClientRun, name: &str) -> Probed<Self> {
        let folder = run.folder();
        let name = format!("{}{name}", folder.file_name().unwrap_or_default().to_string_lossy());
        let outside = Self(folder.with_file_name(name));
        std::fs::create_dir_all(&outside.0)
            .or_else(|error| not_tested(format!("cannot create a folder: {error}")))?;
        put(&outside.file(), SECRET)?;
        Ok(outside)
    }

    fn file(&self) -> PathBuf {
        self.0.join("secret.txt")
    }
}

impl Drop for OutsideFolder {
    fn drop(&mut self) {
        // The folder is temporary, and there is no caller to report an error to.
        let _gone = std::fs::remove_dir_all(&self.0);
    }
}

/// Checks that the client refuses to read this file.
async fn cannot_be_read(talk: &mut ClientTalk, turn: &ClientTurn, path: &Path) -> Probed {
    let reply = talk.call::<FsReadTextFile>(turn, json!({"path": path})).await?;
    reply.is_refused().map_err(|outcome| outcome.about(&format!("reading {}", path.display())))
}

/// Checks that the client refuses to create a file at this path, which leads to `real`.
async fn cannot_be_written(
    talk: &mut ClientTalk,
    turn: &ClientTurn,
    path: &Path,
    real: &Path,
) -> Probed {
    if !talk.offers("/fs/writeTextFile") {
        return Ok(());
    }
    let reply = talk.call::<FsWriteTextFile>(turn, json!({"path": path, "content": "x"})).await?;
    let expected = format!("nothing is written at {}", path.display());
    expect(!real.exists(), expected, format!("{} exists", real.display()))?;
    reply.is_refused().map_err(|outcome| outcome.about(&format!("writing {}", path.display())))
}

async fn files_outside_the_session_are_refused(run: &mut ClientRun) -> Probed {
    let (outside, folder) = (OutsideFolder::new(run, "-outside")?, run.folder().to_owned());
    let up = folder.join("..").join(outside.0.file_name().unwrap_or_default());
    let (talk, turn) = turn(run, &["readTextFile"]).await?;
    cannot_be_read(talk, &turn, &outside.file()).await?;
    cannot_be_read(talk, &turn, &up.join("secret.txt")).await?;
    let new = outside.0.join("new.txt");
    cannot_be_written(talk, &turn, &new, &new).await?;
    cannot_be_written(talk, &turn, &up.join("new.txt"), &new).await
}

async fn a_folder_with_the_same_name_prefix_is_outside(run: &mut ClientRun) -> Probed {
    let outside = OutsideFolder::new(run, "2")?;
    let (talk, turn) = turn(run, &["readTextFile"]).await?;
    cannot_be_read(talk, &turn, &outside.file()).await
}

async fn links_do_not_lead_outside_the_session(run: &mut ClientRun) -> Probed {
    let outside = OutsideFolder::new(run, "-linked")?;
    let links = run.new_path();
    let made = std::fs::create_dir_all(&links)
        .and_then(|()| link(&outside.file(), &links.join("file")))
        .and_then(|()| link(&outside.0, &links.join("folder")))
        .and_then(|()| link(&outside.0.join("new.txt"), &links.join("nowhere")));
    made.or_else(|error| not_tested(format!("cannot create a symbolic link: {error}")))?;
    let (talk, turn) = turn(run, &["readTextFile"]).await?;
    cannot_be_read(talk, &turn, &links.join("file")).await?;
    cannot_be_read(talk, &turn, &links.join("folder/secret.txt")).await?;
    let new = outside.0.join("new.txt");
    cannot_be_written(talk, &turn, &links.join("folder/new.txt"), &new).await?;
    cannot_be_written(talk, &turn, &links.join("nowhere"), &new).await
}

#[cfg(unix)]
fn link(target: &Path, link: &Path) -> std::io::Result<()> {
    std::os::unix::fs::symlink(target, link)
}

#[cfg(not(unix))]
fn link(_: &Path, _: &Path) -> std::io::Result<()> {
    Err(std::io::ErrorKind::Unsupported.into())
}

/// Creates a named pipe. Opening the pipe for reading blocks, because nothing has opened it for
/// writing.
#[cfg(unix)]
fn create_pipe(path: &Path) -> Probed {
    use std::os::unix::ffi::OsStrExt;
    let Ok(name) = std::ffi::CString::new(path.as_os_str().as_bytes()) else {
        return not_tested("the folder's name contains a zero byte");
    };
    // SAFETY: `name` ends with a zero byte and lives until the call returns.
    match unsafe { libc::mkfifo(name.as_ptr(), 0o600) } {
        0 => Ok(()),
        _ => not_tested(format!("cannot create a named pipe: {}", std::io::Error::last_os_error())),
    }
}

#[cfg(not(unix))]
fn create_pipe(_: &Path) -> Probed {
    not_tested("this system does not support named pipes in folders")
}
