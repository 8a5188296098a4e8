//! The program at a terminal.

use crate::project::{MAIN, Project};
use crate::pseudo_terminal;
use crate::script::Script;
use std::fs::File;
use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};

const RENAME: &str = "rename total to sum in main.rs";

/// The program, and the end of its terminal that the person uses.
pub(crate) struct Terminal {
    child: Child,
    screen: File,
    seen: String,
    /// Output that no test has waited for yet.
    unread: Vec<u8>,
}

impl Terminal {
    pub(crate) fn start(
        project: &Project,
        arguments: &[&str],
        environment: &[(&str, &str)],
    ) -> Self {
        let mut command = project.attache(arguments);
        command.envs(environment.iter().copied());
        Self::of(command, 80, None)
    }

    /// Starts a program at a terminal with this many columns. Its stdin is `stdin` instead, if
    /// given.
    pub(crate) fn of(command: Command, columns: u16, stdin: Option<Stdio>) -> Self {
        let (child, screen) = pseudo_terminal::open(command, (columns, 24), stdin);
        Self { child, screen, seen: String::new(), unread: Vec::new() }
    }

    /// Reads until the output contains `text`. The search begins after the text that the previous
    /// wait found.
    #[track_caller]
    pub(crate) fn wait_for(&mut self, text: &str) {
        self.wait_for_one(&[text]);
    }

    /// Like `wait_for`, but for whichever of these texts comes first.
    #[track_caller]
    pub(crate) fn wait_for_one(&mut self, texts: &[&str]) {
        let mut piece = [0; 4096];
        loop {
            let unread = String::from_utf8_lossy(&self.unread).into_owned();
            let ends = texts.iter().filter_map(|text| unread.find(text).map(|at| at + text.len()));
            if let Some(end) = ends.min() {
                self.seen.push_str(&unread[..end]);
                self.unread = unread.as_bytes()[end..].to_vec();
                return;
            }
            // Linux reports an error if the other end of the terminal is closed.
            match self.screen.read(&mut piece) {
                Ok(length) if length > 0 => self.unread.extend_from_slice(&piece[..length]),
                _ => panic!("{texts:?} was never shown: {}{unread}", self.seen),
            }
        }
    }

    /// Returns all output up to the text that the last wait found, including that text.
    pub(crate) fn seen(&self) -> &str {
        &self.seen
    }

    pub(crate) fn press(&mut self, keys: &str) {
        self.screen.write_all(keys.as_bytes()).unwrap();
    }

    /// Waits for the end; returns the exit code and all output.
    pub(crate) fn end(mut self) -> (Option<i32>, String) {
        let mut piece = [0; 4096];
        let mut bytes = std::mem::take(&mut self.unread);
        while let Ok(length @ 1..) = self.screen.read(&mut piece) {
            bytes.extend_from_slice(&piece[..length]);
        }
        let code = self.child.wait().unwrap().code();
        (code, self.seen + &String::from_utf8_lossy(&bytes))
    }
}

#[test]
fn a_question_shows_the_diff_and_one_key_answers() {
    let project = Project::new();
    let mut terminal = Terminal::start(&project, &["run", RENAME], &[]);
    terminal.wait_for("allow? [y/a/");
    for text in ["asks for permission", "+fn sum() {}", "-fn total() {}", "Reject"] {
        assert!(terminal.seen.contains(text), "the question lacks {text:?}: {}", terminal.seen);
    }
    assert_eq!(project.main(), MAIN, "it was edited before the answer");
    // Enter and other keys do not answer the question.
    terminal.press("\nxy");
    let (code, shown) = terminal.end();
    assert_eq!((code, project.main()), (Some(0), MAIN.replace("total", "sum")), "{shown}");
    assert!(shown.contains("allowed by you"), "{shown}");
}

#[test]
fn a_person_can_reject() {
    let project = Project::new();
    let mut terminal = Terminal::start(&project, &["run", RENAME], &[]);
    terminal.wait_for("allow? [y/a/");
    terminal.press("N");
    let (code, shown) = terminal.end();
    assert_eq!((code, project.main()), (Some(11), MAIN.to_owned()), "{shown}");
    assert!(shown.contains("rejected by you"), "{shown}");
}

#[test]
fn ctrl_c_at_a_question_cancels_the_turn() {
    let project = Project::new();
    let mut terminal = Terminal::start(&project, &["run", RENAME], &[]);
    terminal.wait_for("allow? [y/a/");
    terminal.press("\u{3}");
    let (code, shown) = terminal.end();
    assert_eq!((code, project.main()), (Some(130), MAIN.to_owned()), "{shown}");
    assert!(shown.contains("question withdrawn") && shown.contains("cancelled"), "{shown}");
}

#[test]
fn output_is_coloured_unless_the_terminal_or_the_person_disables_it() {
    let shown = |environment: &[(&str, &str)]| {
        Terminal::start(&Project::new(), &["run", "where is `total` used"], environment).end().1
    };
    assert!(shown(&[]).contains("\u{1b}[32m✓"));
    assert!(!shown(&[("NO_COLOR", "1")]).contains("\u{1b}[32m"));
    assert!(!shown(&[("TERM", "dumb"), ("CI", "true")]).contains('\u{1b}'));
}

#[test]
fn deletion_asks_first_and_lists_fit_the_terminal() {
    let (project, folder) = (Project::new(), Project::empty());
    let store = folder.path().join("sessions.db");
    let store = [("ATTACHE_STORE", store.to_str().unwrap())];
    let prompt =
        "where is `漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字` used";
    Terminal::start(&project, &["run", prompt], &store).end();
    let (_, list) = Terminal::start(&project, &["sessions"], &[store[0], ("NO_COLOR", "1")]).end();
    let fits = |line: &str| unicode_width::UnicodeWidthStr::width(line.trim_end()) <= 80;
    assert!(list.contains("漢字漢") && list.contains('…') && list.lines().all(fits), "{list}");
    for (key, left) in [("n", "where is"), ("y", "no unarchived sessions")] {
        let mut terminal = Terminal::start(&project, &["sessions", "delete", "last"], &store);
        terminal.wait_for("[y/n]");
        assert!(terminal.seen.contains("1 prompt, just now"), "{}", terminal.seen);
        terminal.press(key);
        let (code, shown) = terminal.end();
        assert_eq!(code, Some(if key == "y" { 0 } else { 130 }), "{shown}");
        let (_, list) = Terminal::start(&project, &["sessions"], &store).end();
        assert!(list.contains(left), "{list}");
    }
}

#[test]
fn a_stored_conversation_is_shown_as_in_the_terminal() {
    let (project, folder) = (Project::new(), Project::empty());
    let store = folder.path().join("sessions.db");
    let store = [("ATTACHE_STORE", store.to_str().unwrap())];
    project.attache(&["run", "--yes", RENAME]).env(store[0].0, store[0].1).output().unwrap();
    let (code, shown) = Terminal::start(&project, &["sessions", "show", "last"], &store).end();
    assert_eq!(code, Some(0));
    for text in
        [RENAME, "›", "\u{1b}[32m✓", "main.rs", "\u{1b}[32m+fn sum() {}", "plan", "context "]
    {
        assert!(shown.contains(text), "it lacks {text:?}: {shown}");
    }
    let (_, markdown) =
        Terminal::start(&project, &["sessions", "show", "last", "--markdown"], &store).end();
    assert!(markdown.contains("```diff") && !markdown.contains('\u{1b}'), "{markdown}");
}

#[test]
fn an_agent_started_at_a_terminal_explains_itself() {
    let mut terminal = Terminal::start(&Project::empty(), &["agent"], &[]);
    terminal.wait_for("Clients start it");
    terminal.press("\u{4}");
    assert_eq!(terminal.end().0, Some(0));
}

/// Runs an agent that sends `params` as a question and reports the reply.
fn elicited(project: &Project, params: &str) -> Terminal {
    let prompt = format!(
        r#"
    prompt=$id
    printf '{{"jsonrpc":"2.0","id":71,"method":"elicitation/create","params":{params}}}\n'
    IFS= read -r answer
    answer=$(printf '%s' "$answer" | tr -d '"{{}}')
    update "{{\"sessionUpdate\":\"agent_message_chunk\",\"content\":{{\"type\":\"text\",\"text\":\"got $answer.\"}}}}"
    id=$prompt
    reply '{{"stopReason":"end_turn"}}'"#
    );
    let initialize = r#"reply '{"protocolVersion":1,"agentInfo":{"name":"probe","version":"1"}}'"#;
    let agent = Script { initialize, prompt: &prompt, ..Script::default() }.install(project);
    Terminal::start(project, &["run", "--agent", &agent, "go"], &[("NO_COLOR", "1")])
}

const FORM: &str = r#"{"sessionId":"s","mode":"form","message":"Who are you?","requestedSchema":{"type":"object","properties":{"name":{"type":"string","title":"Your name","default":"Ann"},"age":{"type":"integer","minimum":1},"colour":{"type":"string","enum":["red","green"]}},"required":["name","age"]}}"#;

/// ELIC-08, ELIC-14, ELIC-15: filled in field by field, corrected, reviewed, and sent.
#[test]
fn a_form_is_filled_in_and_reviewed_before_it_is_sent() {
    let project = Project::new();
    let mut terminal = elicited(&project, FORM);
    terminal.wait_for("fill it in? [y/n/c]");
    assert!(
        terminal.seen.contains("probe asks") && terminal.seen.contains("Who are you?"),
        "{}",
        terminal.seen
    );
    terminal.press("y");
    terminal.wait_for("[Ann] > ");
    terminal.press("\n");
    terminal.wait_for("age\r\n    > ");
    terminal.press("0\n");
    terminal.wait_for("must be 1 or more\r\n    > ");
    terminal.press("7\n");
    terminal.wait_for("[2] green\r\n    (- to leave empty) > ");
    terminal.press("2\n");
    terminal.wait_for("[y/e/n/c]");
    terminal.press("y");
    let (code, shown) = terminal.end();
    assert_eq!(code, Some(0), "{shown}");
    assert!(
        shown.contains(
            "got jsonrpc:2.0,id:71,result:action:accept,content:name:Ann,age:7,colour:green."
        ),
        "{shown}"
    );
}

/// ELIC-08: everything that is sent is visible, and one key sends it.
#[test]
fn a_form_with_one_choice_takes_one_step() {
    let project = Project::new();
    let form = |field: &str, required: &str| {
        format!(
            r#"{{"sessionId":"s","mode":"form","message":"Which?","requestedSchema":{{"type":"object","properties":{{"it":{field}}},"required":[{required}]}}}}"#
        )
    };
    let colour = r#"{"type":"string","title":"Colour","enum":["red","green"],"default":"green"}"#;
    let named = r#"{"type":"string","oneOf":[{"const":"a","title":"First"},{"const":"b","title":"Second"}]}"#;
    let yes = r#"{"type":"boolean","title":"Go on?"}"#;
    let numbers = r#"{"type":"string","enum":["2","1"]}"#;
    let needed = r#""it""#;
    for (field, required, keys, pressed, answer) in [
        (colour, needed, "[1/2/n/c]", "2", "content:it:green."),
        (named, needed, "[1/2/n/c]", "1", "content:it:a."),
        (numbers, needed, "[1/2/n/c]", "1", "content:it:2."),
        (yes, needed, "[1/2/n/c]", "2", "content:it:false."),
        (colour, needed, "[1/2/n/c]", "n", "action:decline."),
        (colour, needed, "[1/2/n/c]", "3xc", "action:cancel."),
        (colour, "", "[1/2/-/n/c]", "-", "action:accept,content:."),
    ] {
        let mut terminal = elicited(&project, &form(field, required));
        terminal.wait_for(keys);
        assert!(
            terminal.seen.contains("probe asks") && terminal.seen.contains("Which?"),
            "{}",
            terminal.seen
        );
        assert_eq!(
            terminal.seen.contains("green  (suggested)"),
            field == colour,
            "{}",
            terminal.seen
        );
        terminal.press(pressed);
        let (code, shown) = terminal.end();
        assert!(code == Some(0) && shown.contains(answer), "{field}: {shown}");
    }
}

#[test]
fn a_form_with_many_choices_accepts_a_number_or_a_name() {
    let project = Project::new();
    let choices: Vec<String> = (1..=12).map(|number| format!("\"choice {number}\"")).collect();
    let params = format!(
        r#"{{"sessionId":"s","mode":"form","message":"Which?","requestedSchema":{{"type":"object","properties":{{"it":{{"type":"string","enum":[{}]}}}},"required":["it"]}}}}"#,
        choices.join(",")
    );
    for (typed, answer) in
        [("99\n12\n", "it:choice 12."), ("choice 3\n", "it:choice 3."), ("\n", "action:decline.")]
    {
        let mut terminal = elicited(&project, &params);
        terminal.wait_for("nothing declines > ");
        if let Some((wrong, right)) =
            typed.strip_suffix('\n').and_then(|typed| typed.split_once('\n'))
        {
            terminal.press(&format!("{wrong}\n"));
            terminal.wait_for("no such choice");
            terminal.wait_for("nothing declines > ");
            terminal.press(&format!("{right}\n"));
        } else {
            terminal.press(typed);
        }
        let (code, shown) = terminal.end();
        assert!(code == Some(0) && shown.contains(answer), "{typed:?}: {shown}");
    }
}

/// ELIC-08, ELIC-13.
#[test]
fn a_form_can_be_declined_and_cancellation_withdraws_it() {
    let project = Project::new();
    let mut terminal = elicited(&project, FORM);
    terminal.wait_for("fill it in? [y/n/c]");
    terminal.press("n");
    let (code, shown) = terminal.end();
    assert!(code == Some(0) && shown.contains("result:action:decline."), "{shown}");

    let mut terminal = elicited(&project, FORM);
    terminal.wait_for("fill it in? [y/n/c]");
    terminal.press("y");
    terminal.wait_for("[Ann] > ");
    terminal.press("\u{3}");
    terminal.wait_for("cancelling the turn");
    assert_eq!(terminal.end().0, Some(130));
}

/// ELIC-09, ELIC-10, ELIC-17: the address is shown completely with its host, and only the person
/// opens it.
#[test]
fn a_page_is_shown_completely_and_needs_consent() {
    let project = Project::new();
    let url = "http://bank.example@evil.example/login?state=12345";
    let params = format!(
        r#"{{"sessionId":"s","mode":"url","message":"Log in","elicitationId":"e","url":"{url}"}}"#
    );
    for (key, action) in [("y", "accept"), ("n", "decline"), ("c", "cancel")] {
        let mut terminal = elicited(&project, &params);
        terminal.wait_for("[y/n/c]");
        for text in
            [url, "it leads to evil.example", "before the @", "the connection is not encrypted"]
        {
            assert!(terminal.seen.contains(text), "it lacks {text:?}: {}", terminal.seen);
        }
        terminal.press(key);
        let (_, shown) = terminal.end();
        assert!(shown.contains(&format!("result:action:{action}.")), "{shown}");
    }
}

/// PERM-02: a command is shown unchanged, and runs only after the person presses the key.
#[test]
fn a_question_about_a_terminal_command_shows_all_of_it() {
    let project = Project::new();
    let prompt = r#"
    prompt=$id
    printf '%s\n' '{"jsonrpc":"2.0","id":71,"method":"terminal/create","params":{"sessionId":"s","command":"echo one\ntouch made","env":[{"name":"A_TOKEN","value":"abc123"}]}}'
    IFS= read -r answer
    id=$prompt
    reply '{"stopReason":"end_turn"}'"#;
    let agent = Script { prompt, ..Script::default() }.install(&project);
    let mut terminal =
        Terminal::start(&project, &["run", "--agent", &agent, "go"], &[("NO_COLOR", "1")]);
    terminal.wait_for("allow? [y/n/r]");
    for text in ["A_TOKEN=… echo one", "  touch made", "Run this command"] {
        assert!(terminal.seen.contains(text), "it lacks {text:?}: {}", terminal.seen);
    }
    assert!(!terminal.seen.contains("abc123"));
    terminal.press("n");
    let (code, shown) = terminal.end();
    assert!(code == Some(11) && !project.path().join("made").exists(), "{shown}");
}

/// ELIC-04: a question about `session/new` itself must not block that call.
#[test]
fn a_form_about_a_call_is_declined_at_once() {
    let project = Project::new();
    let params = FORM.replace(r#""sessionId":"s""#, r#""requestId":1"#);
    let new = format!(
        r#"
    new=$id
    printf '{{"jsonrpc":"2.0","id":71,"method":"elicitation/create","params":{params}}}\n'
    IFS= read -r answer
    id=$new
    case "$answer" in *decline*) reply '{{"sessionId":"s"}}' ;; esac"#
    );
    let agent = Script { new: &new, ..Script::default() }.install(&project);
    let (code, shown) = Terminal::start(&project, &["run", "--agent", &agent, "go"], &[]).end();
    assert_eq!(code, Some(0), "{shown}");
}
