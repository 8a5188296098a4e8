//! The files that a session's tools can reach (SESS-03, SESS-05).

use super::driven::{ALLOW, attempt, choose, count, play_in, put, tool_calls};
use crate::agent::run::Run;
use crate::json::json;
use crate::judging::conversation::{Conversation, Session, quoted};
use crate::judging::probe::probes;
use crate::judging::verdict::{Probed, expect, fail, not_tested};
use crate::model::acts::{call, read, recall, say, write};
use attache_protocol::method::{FsReadTextFile, SessionRequestPermission, TerminalCreate};
use serde_json::Value;
use std::path::Path;

probes! { Run:
    "SESS-03" relative_paths_belong_to_the_sessions_folder;
    "SESS-03" each_session_has_its_own_folder;
    "SESS-05" tools_stay_inside_the_roots;
}

/// Opens a session in a subfolder and reads a file that exists only there.
async fn relative_paths_belong_to_the_sessions_folder(run: &mut Run) -> Probed {
    let below = run.folder().join("attache-below");
    let (name, new) = ("attache-only-below.txt", "attache-new-below.txt");
    put(&below.join(name), "below\n")?;
    let _ = std::fs::remove_file(below.join(new));
    run.follows_prompts().await?;
    let talk = run.talk().await?;
    let session = talk.open(&below).await?;
    talk.answer::<SessionRequestPermission>(choose(&ALLOW));
    let first = talk.now();
    let played =
        play_in(talk, &session, call(read(name)).then(call(write(new, "new\n"))).then(say("done")))
            .await?;
    let path = |params: &Value| params.get("path").and_then(Value::as_str).map(str::to_owned);
    let reads = talk.heard(first).filter(|line| line.calls::<FsReadTextFile>());
    let meant = [below.join(name), below.join(new)];
    if let Some(other) = reads
        .filter_map(|line| path(line.get("params")?))
        // Ignores other files that the agent may read, such as instructions.
        .filter(|path| meant.iter().any(|meant| Path::new(path).file_name() == meant.file_name()))
        .find(|path| !meant.iter().any(|meant| meant.as_os_str() == path.as_str()))
    {
        return fail(
            format!("the file in the session's folder, {}", meant[0].display()),
            quoted(&other),
        );
    }
    let done = |index: usize| {
        tool_calls(&played)
            .get(index)
            .is_some_and(|reported| reported.states().last() == Some(&"completed"))
    };
    if below.join(new).exists() {
        return Ok(());
    }
    match (done(0), done(1)) {
        (_, true) => fail(
            "the new file in the session's folder",
            "the agent reports that it wrote the file, but the file does not exist",
        ),
        (true, false) => Ok(()),
        (false, false) => not_tested("the agent's tools accept no relative paths"),
    }
}

/// The name of a file that exists in several folders, with different content in each.
const SAME: &str = "attache-same-name.txt";
/// The content of the copy that is in the parent folder, outside the sessions' folders.
const ELSEWHERE: &str = "attache-text-of-no-session";

/// Uses two open sessions. Tools that read files and run commands must resolve relative paths in
/// the folder of their own session.
async fn each_session_has_its_own_folder(run: &mut Run) -> Probed {
    let [one, two] = ["attache-one", "attache-two"].map(|name| run.folder().join(name));
    let texts = ["attache-text-of-one", "attache-text-of-two"];
    put(&run.folder().join(SAME), ELSEWHERE)?;
    for (folder, text) in [&one, &two].into_iter().zip(texts) {
        put(&folder.join(SAME), text)?;
    }
    run.follows_prompts().await?;
    let talk = run.talk().await?;
    let sessions = [talk.open(&one).await?, talk.open(&two).await?];
    talk.answer::<SessionRequestPermission>(choose(&ALLOW));
    let mut shown = 0;
    let [its_own, of_other] = [texts, [texts[1], texts[0]]];
    for (((session, folder), own), other) in
        sessions.iter().zip([&one, &two]).zip(its_own).zip(of_other)
    {
        for wrong in [ELSEWHERE, other] {
            let acts = call(read(SAME)).then(recall(wrong));
            let is_wrong = play_in(talk, session, acts).await?.recalled() == Some(true);
            let expected = format!("the file {SAME} in {}", folder.display());
            expect(!is_wrong, expected, format!("the text read is {wrong}"))?;
        }
        shown += usize::from(play_in(talk, session, recall(own)).await?.recalled() == Some(true));
        shown += usize::from(runs_in(talk, session, folder).await?);
    }
    if shown == 0 {
        not_tested("the agent's tools accept no relative paths and run no command")
    } else {
        Ok(())
    }
}

/// Checks that the agent runs a command in this folder. Returns `false` if the judge cannot see
/// where the command runs.
async fn runs_in(talk: &mut Conversation, session: &Session, folder: &Path) -> Probed<bool> {
    let made = folder.join("attache-made.txt");
    let _ = std::fs::remove_file(&made);
    let first = talk.now();
    let acts = call(crate::model::acts::run("echo made > attache-made.txt")).then(say("done"));
    // If the agent's tool uses no shell, this command can fail.
    let Ok(played) = attempt(talk, session, acts).await else { return Ok(false) };
    let expected = format!("a command runs in {}", folder.display());
    // The judge's terminals are simulated, so only the requested folder can be checked.
    let asked = talk.heard(first).filter(|line| line.calls::<TerminalCreate>());
    if let Some(params) = asked.filter_map(|line| line.get("params")).next() {
        let cwd = params.get("cwd").and_then(Value::as_str);
        // The command line can change into the folder itself, so it is enough if the params name
        // the folder.
        let goes = params.to_string().contains(&*folder.to_string_lossy());
        expect(cwd.is_none() || goes, expected, format!("it runs in {}", cwd.unwrap_or_default()))?;
        return Ok(cwd.is_some());
    }
    let is_done = tool_calls(&played)
        .first()
        .is_some_and(|reported| reported.states().last() == Some(&"completed"));
    expect(
        !is_done || made.exists(),
        expected,
        "the file that the command creates does not exist",
    )?;
    Ok(is_done)
}

/// Asks the agent to use files outside the session's folder. The judge rejects every permission
/// request, so the agent must not use the files.
async fn tools_stay_inside_the_roots(run: &mut Run) -> Probed {
    let (inside, outside) =
        (run.folder().join("attache-inside"), run.folder().join("attache-outside"));
    let secret = "attache-secret-30175";
    put(&inside.join("attache-here.txt"), "here\n")?;
    put(&outside.join("attache-there.txt"), secret)?;
    let new = outside.join("attache-new.txt");
    let _ = std::fs::remove_file(&new);
    run.follows_prompts().await?;
    let talk = run.talk().await?;
    let session = talk.open(&inside).await?;
    let first = talk.now();
    let read =
        attempt(talk, &session, call(read(outside.join("attache-there.txt"))).then(say("done")))
            .await?;
    let is_asked = count::<SessionRequestPermission>(talk, first) > 0;
    let is_read = json!(read.updates()).to_string().contains(secret)
        || count::<FsReadTextFile>(talk, first) > 0;
    expect(
        is_asked || !is_read,
        "no file outside the session's folder is read without permission",
        "the file is read",
    )?;
    let write = attempt(talk, &session, call(write(&new, "new\n")).then(say("done"))).await?;
    expect(
        !new.exists(),
        "no file outside the session's folder is written without permission",
        "the file is written",
    )?;
    let has_tried = !tool_calls(&read).is_empty() || !tool_calls(&write).is_empty();
    if has_tried { Ok(()) } else { not_tested("the agent reports no tool call") }
}
