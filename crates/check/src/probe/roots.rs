//! Which files a session's tools reach (SESS-03, SESS-05).

use super::driven::{ALLOW, attempt, choose, count, play_in, put, tool_calls};
use super::probes;
use crate::acts::{call, read, say, write};
use crate::conversation::quoted;
use crate::run::Run;
use crate::verdict::{Probed, expect, fail, not_tested};
use attache_protocol::method::{FsReadTextFile, SessionRequestPermission};
use serde_json::{Value, json};
use std::path::Path;

probes! {
    "SESS-03" relative_paths_are_those_of_the_folder;
    "SESS-05" tools_stay_inside_the_roots;
}

/// A session in a folder below, in which alone there is the file.
async fn relative_paths_are_those_of_the_folder(run: &mut Run) -> Probed {
    let below = run.folder().join("attache-below");
    let (name, new) = ("attache-only-below.txt", "attache-new-below.txt");
    put(&below.join(name), "below\n")?;
    let _ = std::fs::remove_file(below.join(new));
    run.driven().await?;
    let talk = run.talk().await?;
    let session = talk.open(&below).await?;
    talk.answer::<SessionRequestPermission>(choose(&ALLOW));
    let first = talk.now();
    let played =
        play_in(talk, &session, call(read(name)).then(call(write(new, "new\n"))).then(say("done"))).await?;
    let path = |params: &Value| params.get("path").and_then(Value::as_str).map(str::to_owned);
    let reads = talk.heard(first).filter(|line| line.calls::<FsReadTextFile>());
    let meant = [below.join(name), below.join(new)];
    if let Some(other) = reads
        .filter_map(|line| path(line.get("params")?))
        // Whatever else it reads of its own accord, such as instructions for agents, is not what it was told to.
        .filter(|path| meant.iter().any(|meant| Path::new(path).file_name() == meant.file_name()))
        .find(|path| !meant.iter().any(|meant| meant.as_os_str() == path.as_str()))
    {
        return fail(format!("the file in the session's folder, {}", meant[0].display()), quoted(&other));
    }
    let done = |index: usize| {
        tool_calls(&played).get(index).is_some_and(|told| told.states().last() == Some(&"completed"))
    };
    if below.join(new).exists() {
        return Ok(());
    }
    match (done(0), done(1)) {
        (_, true) => {
            fail("the new file in the session's folder", "it is said to be written, and is not there")
        }
        (true, false) => Ok(()),
        (false, false) => not_tested("the agent's tools take no relative paths"),
    }
}

/// The file lies beside the session's folder. Who asks first is free to do what he is allowed; here it is refused.
async fn tools_stay_inside_the_roots(run: &mut Run) -> Probed {
    let (inside, outside) = (run.folder().join("attache-inside"), run.folder().join("attache-outside"));
    let secret = "attache-secret-30175";
    put(&inside.join("attache-here.txt"), "here\n")?;
    put(&outside.join("attache-there.txt"), secret)?;
    let new = outside.join("attache-new.txt");
    let _ = std::fs::remove_file(&new);
    run.driven().await?;
    let talk = run.talk().await?;
    let session = talk.open(&inside).await?;
    let first = talk.now();
    let read =
        attempt(talk, &session, call(read(outside.join("attache-there.txt"))).then(say("done"))).await?;
    let is_asked = count::<SessionRequestPermission>(talk, first) > 0;
    let is_read =
        json!(read.updates()).to_string().contains(secret) || count::<FsReadTextFile>(talk, first) > 0;
    expect(
        is_asked || !is_read,
        "nothing is read outside of the session's folder without leave",
        "the file is read",
    )?;
    let write = attempt(talk, &session, call(write(&new, "new\n")).then(say("done"))).await?;
    expect(
        !new.exists(),
        "nothing is written outside of the session's folder without leave",
        "the file is written",
    )?;
    let has_tried = !tool_calls(&read).is_empty() || !tool_calls(&write).is_empty();
    if has_tried { Ok(()) } else { not_tested("the agent reports no tool call") }
}
