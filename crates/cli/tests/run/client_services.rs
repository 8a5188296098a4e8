//! Services of `attache run` for agents: commands in terminals, forms.

use crate::project::Project;
use crate::script::Script;
use std::process::Output;

/// An agent that runs a command in a terminal, shows it, and releases it.
const COMMAND: &str = r#"
    prompt=$id
    ask() { printf '{"jsonrpc":"2.0","id":%s,"method":"terminal/%s","params":{"sessionId":"s",%s}}\n' "$1" "$2" "$3"; IFS= read -r answer; }
    ask 71 create '"command":"printf","args":["made %s\\n","here"]'
    case "$answer" in
      *terminalId*)
        terminal=$(printf '%s' "$answer" | sed 's/.*"terminalId":"\([^"]*\)".*/\1/')
        content="[{\"type\":\"terminal\",\"terminalId\":\"$terminal\"}]"
        update "{\"sessionUpdate\":\"tool_call\",\"toolCallId\":\"t\",\"kind\":\"execute\",\"title\":\"Make it\",\"status\":\"in_progress\",\"content\":$content}"
        ask 72 wait_for_exit "\"terminalId\":\"$terminal\""
        ask 73 release "\"terminalId\":\"$terminal\""
        update '{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"completed"}' ;;
      *) update '{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"refused"}}' ;;
    esac
    id=$prompt
    reply '{"stopReason":"end_turn"}'"#;

fn run(flags: &[&str], code: i32) -> (String, String) {
    let project = Project::new();
    let agent = Script { prompt: COMMAND, ..Script::default() }.install(&project);
    let arguments = [&["run", "--agent", &agent], flags, &["go"]].concat();
    let Output { stdout, stderr, status } = project.attache(&arguments).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let (stdout, stderr) = (text(stdout), text(stderr));
    assert_eq!(status.code(), Some(code), "{stdout}{stderr}");
    (stdout, stderr)
}

/// TERM-12, PERM-05: flags apply to commands as they do to other actions, and the output of a
/// command is shown.
#[test]
fn a_command_runs_if_the_flags_allow_it_and_its_output_is_shown() {
    for flag in [&["--yes"][..], &["--allow", "execute"]] {
        let (stdout, stderr) = run(flag, 0);
        assert!(!stdout.contains("refused") && stderr.contains("made here"), "{stdout}{stderr}");
        assert!(
            stderr.contains("printf 'made %s\\n' here"),
            "the allowed command is shown: {stderr}"
        );
    }
    for flag in [&[][..], &["--allow", "edit"]] {
        let (stdout, stderr) = run(flag, 11);
        assert!(stdout.contains("refused") && !stderr.contains("made here"), "{stdout}{stderr}");
    }
    let (stdout, _) = run(&["--json", "--yes"], 0);
    assert!(stdout.contains(r#""text":"made here\n""#), "{stdout}");
}

/// A command of an agent gets no token of this program.
#[test]
fn a_command_gets_the_environment_without_the_tokens() {
    let project = Project::new();
    let prompt = COMMAND.replace(r#""printf","args":["made %s\\n","here"]"#, r#""env""#);
    let agent = Script { prompt: &prompt, ..Script::default() }.install(&project);
    let mut attache = project.attache(&["run", "--json", "--yes", "--agent", &agent, "go"]);
    attache.env("ATTACHE_TOKEN", "s3cret").env("ATTACHE_NOTIFY_TOKEN", "s3cret");
    let output = attache.env("ORDINARY", "ordinary").output().unwrap();
    let stdout = String::from_utf8(output.stdout).unwrap();
    assert!(stdout.contains("ORDINARY=ordinary"), "{stdout}");
    assert!(!stdout.contains("s3cret"), "{stdout}");
}

/// An agent that sends a form and reports the reply.
const FORM: &str = r#"
    prompt=$id
    fields='{"name":{"type":"string","default":"Ann"},"age":{"type":"integer","default":AGE,"maximum":120}}'
    printf '{"jsonrpc":"2.0","id":71,"method":"elicitation/create","params":{"sessionId":"s","mode":"form","message":"Who are you?","requestedSchema":{"type":"object","properties":%s,"required":["age"]}}}\n' "$fields"
    IFS= read -r answer
    answer=$(printf '%s' "$answer" | tr -d '"{}')
    update "{\"sessionUpdate\":\"agent_message_chunk\",\"content\":{\"type\":\"text\",\"text\":\"got $answer.\"}}"
    id=$prompt
    reply '{"stopReason":"end_turn"}'"#;

/// ELIC-13, ELIC-14: without a person only the flag answers a form, and never with invalid values.
#[test]
fn a_flag_answers_a_form_without_a_person() {
    let answered = |age: &str, flags: &[&str]| {
        let project = Project::new();
        let prompt = FORM.replace("AGE", age);
        let agent = Script { prompt: &prompt, ..Script::default() }.install(&project);
        let output = project
            .attache(&[&["run", "--agent", &agent], flags, &["go"]].concat())
            .output()
            .unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (text(output.stdout), text(output.stderr))
    };
    let (stdout, stderr) = answered("7", &["--forms", "defaults"]);
    assert!(stdout.contains("action:accept") && stdout.contains("name:Ann"), "{stdout}");
    assert!(stderr.contains("Who are you?") && stderr.contains("age: 7"), "{stderr}");
    let (stdout, stderr) = answered("700", &["--forms", "defaults", "--quiet"]);
    assert!(
        stdout.contains("action:decline") && !stderr.contains("Who are you?"),
        "{stdout}{stderr}"
    );
    let (stdout, stderr) = answered("7", &["--forms", "decline"]);
    assert!(stdout.contains("action:decline") && stderr.contains("declined"), "{stdout}{stderr}");
    let (stdout, _) = answered("7", &[]);
    assert!(stdout.contains("error:"), "forms are not offered without the flag: {stdout}");
}
