use super::*;
use crate::row::tool_call_row::Output;
use attache_client::{Effect, Form, Guard, PageAddress, PermissionRequest};
use attache_protocol::Patch;
use attache_protocol::v1::*;
use attache_protocol::{Raw, decode};
use attache_session::{PermissionId, ToolCallContent, ToolCallPatch};

const CWD: &str = "/p";

fn request(
    title: &str,
    kind: ToolKind,
    input: &str,
    options: &[(&str, &str)],
) -> PermissionRequest {
    let mut call = ToolCallPatch::new("c");
    call.title = Patch::Set(title.to_owned());
    call.kind = Patch::Set(kind);
    call.raw_input = Patch::Set(Raw::from_text(input).unwrap());
    let option = |(name, kind): &(&str, &str)| {
        let kind: PermissionOptionKind = decode(&format!("\"{kind}\"")).unwrap();
        PermissionOption::new(*name, format!("Agent's {name}"), kind)
    };
    PermissionRequest::new(PermissionId(1), "s".into(), call, options.iter().map(option).collect())
}

const ALL: [(&str, &str); 4] = [
    ("once", "allow_once"),
    ("ever", "allow_always"),
    ("reject", "reject_once"),
    ("never", "reject_always"),
];

fn view(request: &PermissionRequest) -> PermissionView {
    PermissionView::new(request, "gemini", Path::new(CWD))
}

fn choices(view: &PermissionView) -> Vec<String> {
    view.choices.iter().map(|choice| format!("{} {}", choice.key, choice.label.text())).collect()
}

fn texts(lines: &[Line]) -> Vec<String> {
    lines.iter().map(Line::text).collect()
}

#[test]
fn three_clear_answers_come_first() {
    let request = request("Test", ToolKind::Execute, r#"{"command":"cargo test"}"#, &ALL);
    let view = view(&request);
    assert_eq!(texts(&view.effect), ["$ cargo test"]);
    let shown = choices(&view);
    assert_eq!(shown[0], "y yes: Agent's once");
    assert!(shown[1].starts_with("a always: allows "), "{shown:?}");
    assert!(shown[1].contains("cargo test") && shown[1].contains("in this session"), "{shown:?}");
    assert_eq!(shown[2], "n no: Agent's reject");
    assert_eq!(shown[3], "w no, and say why");
    assert!(shown[4].starts_with("d never: rejects "), "{shown:?}");
    let own = ["1 the agent remembers: Agent's ever", "2 the agent remembers: Agent's never"];
    assert_eq!(shown[5..], own);
    let ChoiceAction::AllowAlways { rules } = &view.choices[1].action else { panic!() };
    let reaches: Vec<_> = rules.iter().map(|rule| (rule.key, rule.reach)).collect();
    let expected =
        [('s', RuleReach::Session), ('p', RuleReach::Project), ('e', RuleReach::Everywhere)];
    assert_eq!(reaches, expected);
    for choice in rules {
        let cwd = Path::new(CWD);
        let rule = rule_about(&request, "gemini", cwd, Effect::Allow, choice.reach).unwrap();
        assert_eq!(choice.rule.text(), rule.to_line());
        assert_eq!(choice.meaning.text(), rule_meaning(&rule));
    }
}

#[test]
fn an_answer_that_the_agent_does_not_offer_is_missing() {
    let input = r#"{"command":"ls"}"#;
    let keys = |options: &[(&str, &str)]| {
        let view = view(&request("List", ToolKind::Execute, input, options));
        view.choices.iter().map(|choice| choice.key).collect::<String>()
    };
    assert_eq!(keys(&[("no", "reject_once")]), "nwd");
    assert_eq!(keys(&[]), "nwd");
    assert_eq!(keys(&[("x", "allow_once"), ("y", "allow_once")]), "yanwd1");
    // An id of two options could mean either of them.
    assert_eq!(keys(&[("x", "allow_once"), ("x", "reject_once")]), "nwd");
}

#[test]
fn no_answer_says_always_twice() {
    let mut request = request("Test", ToolKind::Execute, r#"{"command":"cargo test"}"#, &ALL);
    let names = ["Yes", "Always allow `cargo` in this session", "No, go on", "Never"];
    for (option, name) in request.options.iter_mut().zip(names) {
        option.name = name.to_owned();
    }
    let shown = choices(&view(&request));
    assert_eq!((shown[0].as_str(), shown[2].as_str()), ("y yes", "n No, go on"));
    let own = "1 the agent remembers: Always allow `cargo` in this session";
    assert_eq!(shown[5..], [own, "2 the agent remembers: Never"]);
    let options = request.options.iter().cloned();
    request.options = options.flat_map(|option| [option.clone(), option]).collect();
    for (index, option) in request.options.iter_mut().enumerate() {
        option.option_id = index.to_string().into();
    }
    request.asked = ToolCallPatch::new("c");
    let shown = choices(&view(&request));
    let own = "a always, as the agent offers: Always allow `cargo` in this session";
    assert!(shown.iter().any(|choice| choice == own), "{shown:?}");
    let further = shown.iter().filter(|choice| choice.contains("Always")).nth(1).unwrap();
    assert!(further.ends_with("2 Always allow `cargo` in this session"), "{shown:?}");
}

#[test]
fn a_call_that_says_too_little_for_a_rule_gets_the_agents_own_answer() {
    let request = request("Do something", ToolKind::Other, "{}", &ALL);
    let view = view(&request);
    let always = view.choices.iter().find(|choice| choice.key == 'a').unwrap();
    match &always.action {
        ChoiceAction::Option { index } => {
            assert_eq!(request.options[*index].option_id.as_str(), "ever");
        }
        ChoiceAction::AllowAlways { rules } => assert!(!rules.is_empty()),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_question_shows_the_whole_diff_and_why_it_is_asked() {
    let mut request = request("Edit", ToolKind::Edit, r#"{"path":"/p/a"}"#, &ALL);
    let new: String = (0..3_000).map(|number| format!("{number}\n")).collect();
    let diff = Diff::new("/p/a", new);
    request.asked.content = Patch::Set(vec![ToolCallContent::Diff(diff)]);
    request.protected = Some(Guard::Obeyed);
    let view = view(&request);
    assert!(view.effect.is_empty(), "the diff names the file: {:?}", view.effect);
    let Output::Diff(row) = &view.outputs[0] else { panic!() };
    let lines: usize = row.files[0].hunks.iter().map(|hunk| hunk.lines.len()).sum();
    assert_eq!((lines, row.files[0].added), (3_000, 3_000));
    let why = "only you can allow this: the file affects how programs or agents run";
    assert_eq!(view.protected.map(|line| line.text()).as_deref(), Some(why));
}

#[test]
fn nothing_in_a_question_controls_a_terminal() {
    let evil = "a\u{1b}[2J\u{202e}\u{7}b";
    let input = serde_json::json!({ "command": evil }).to_string();
    let mut request = request(evil, ToolKind::Execute, &input, &ALL);
    request.question = Some(evil.to_owned());
    request.description = Some(evil.to_owned());
    request.options.push(PermissionOption::new(evil, evil, PermissionOptionKind::AllowOnce));
    let json = serde_json::to_string(&view(&request)).unwrap();
    // JSON escapes control characters; the text of a rule has such escapes of its own.
    let json = json.replace("\\\\", "");
    assert!(!json.contains("\\u00") && !json.contains('\u{202e}'), "{json}");
}

fn form(schema: &str) -> Form {
    Form::new(decode(schema).unwrap())
}

#[test]
fn a_form_says_what_its_fields_allow() {
    let form = form(
        r#"{"type":"object","required":["name"],"properties":{
            "name":{"type":"string","title":"Name","minLength":3,"default":"abc"},
            "count":{"type":"integer","minimum":1,"maximum":9},
            "fast":{"type":"boolean","default":true},
            "color":{"type":"string","enum":["red","blue"],"default":"blue"},
            "tags":{"type":"array","items":{"type":"string","enum":["x","y"]},"minItems":1,"default":["y"]}
        }}"#,
    );
    let view = FormView::new("Please", &form);
    let shown: Vec<_> = view
        .fields
        .iter()
        .map(|field| (field.label.text(), field.required, field.allowed.text(), &field.default))
        .collect();
    let text = |text: &str| text.to_owned();
    assert_eq!(
        shown,
        [
            (
                text("Name"),
                true,
                text("at least 3 characters"),
                &Some(FieldValue::Text("abc".into()))
            ),
            (text("count"), false, text("1 to 9"), &None),
            (text("fast"), false, text(""), &Some(FieldValue::Boolean(true))),
            (text("color"), false, text(""), &Some(FieldValue::Choices(vec![1]))),
            (text("tags"), false, text("at least 1 choices"), &Some(FieldValue::Choices(vec![1]))),
        ]
    );
    let keys: String = view.choices.iter().map(|choice| choice.key).collect();
    assert_eq!((keys.as_str(), view.problem), ("ync", None));
}

#[test]
fn a_form_with_an_unknown_required_field_can_only_be_declined() {
    let form = form(r#"{"type":"object","required":["a"],"properties":{"a":{"type":"color"}}}"#);
    let view = FormView::new("Please", &form);
    assert!(view.problem.is_some());
    assert!(view.choices.iter().all(|choice| choice.action != ChoiceAction::Accept));
}

#[test]
fn the_choices_of_a_single_field_have_keys() {
    let form =
        form(r#"{"type":"object","properties":{"a":{"type":"string","enum":["one","two"]}}}"#);
    let view = FormView::new("Which?", &form);
    let FieldKind::Choice { choices } = &view.fields[0].kind else { panic!() };
    let shown: Vec<_> = choices.iter().map(|choice| (choice.label.text(), choice.key)).collect();
    assert_eq!(shown, [("one".into(), Some('1')), ("two".into(), Some('2'))]);
}

#[test]
fn a_page_shows_where_it_leads() {
    let address = PageAddress::parse("http://good.example@evil.example/path?x").unwrap();
    let view = PageView::new("Log in", &address);
    assert_eq!(view.address.text(), "http://good.example@evil.example/path?x");
    let strong: Vec<_> =
        view.address.spans.iter().filter(|span| span.style.strong).map(|span| &span.text).collect();
    assert_eq!(
        (strong, view.host.text()),
        (vec![&"evil.example".to_owned()], "evil.example".to_owned())
    );
    let warnings = texts(&view.warnings);
    assert!(warnings.contains(&"the connection is not encrypted".to_owned()), "{warnings:?}");
}

#[test]
fn a_question_shows_the_command_and_the_path_whatever_the_title_says() {
    for (title, kind, input, shown) in [
        ("Read ./deploy.sh", ToolKind::Read, r#"{"command":"./deploy.sh"}"#, "$ ./deploy.sh"),
        ("run ./deploy.sh", ToolKind::Execute, r#"{"command":"./deploy.sh"}"#, "$ ./deploy.sh"),
        ("Read a.txt", ToolKind::Delete, r#"{"path":"/p/a.txt"}"#, "a.txt"),
    ] {
        let view = view(&request(title, kind, input, &ALL));
        let effect = texts(&view.effect);
        assert!(effect.iter().any(|line| line == shown), "{title}: {effect:?}");
    }
}
