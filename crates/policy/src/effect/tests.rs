//! Reads the shapes of inputs that agents send.

use super::*;
use serde_json::json;

fn effect(kind: ToolKind, title: &str, input: &Value) -> ToolEffect {
    let call = ReportedCall {
        kind: Some(&kind),
        title,
        raw_input: Some(input),
        ..ReportedCall::default()
    };
    ToolEffect::of(&call)
}

fn lines(effect: &ToolEffect) -> Vec<&str> {
    effect.commands.iter().map(|command| command.line.as_str()).collect()
}

#[test]
fn every_shape_of_a_command_is_read() {
    let line = "touch x && rm y";
    for input in [
        json!({"command": line}),
        json!({"command": line, "description": "mock", "timeout": 5}),
        json!({"command": line, "commands": [line]}),
        json!({"command": line, "commands": ["touch x", "rm y"]}),
        json!({"cmd": line}),
        json!({"Command": line}),
        json!({"CommandLine": line}),
        json!({"shell_command": line}),
        json!({"script": line}),
        json!({"input": line}),
        json!(line),
        json!(["bash", "-lc", line]),
        json!({"command": ["bash", "-lc", line]}),
        json!({"command": ["/bin/sh", "-c", line]}),
        json!({"command": ["/usr/bin/env", "bash", "-c", line]}),
        json!({"command": ["bash", "-o", "pipefail", "-e", "-c", line]}),
        json!({"command": "bash", "args": ["-lc", line]}),
        json!({"program": "sh", "arguments": ["-c", line]}),
        json!({"command": ["bash", "-lc", line], "parsed_cmd": [{"type": "unknown", "cmd": line}]}),
        json!({"command": ["bash", "-lc", line], "parsed_cmd": [{"cmd": "touch x"}, {"cmd": "rm y"}]}),
        json!({"parsed_cmd": [{"Unknown": {"cmd": line}}]}),
        json!({"arguments": {"command": line}}),
        json!({"arguments": json!({"command": line}).to_string()}),
        json!(json!({"command": line}).to_string()),
        json!({"invocation": {"server": "x", "tool": "y", "arguments": {"command": line}}}),
        json!({"action": {"type": "exec", "command": ["bash", "-lc", line]}}),
        json!([{"command": line}]),
        json!({"commands": [{"command": line}]}),
        json!({"commands": [["bash", "-lc", line]]}),
        json!({"a": {"b": [{"c": {"cmd": line}}]}}),
    ] {
        assert_eq!(lines(&effect(ToolKind::Execute, "mock", &input)), [line], "{input}");
    }
}

#[test]
fn all_of_several_commands_are_read() {
    let input = json!({"command": "touch x", "commands": ["rm y", ["ls", "a b"]], "cmd": "wc z"});
    assert_eq!(
        lines(&effect(ToolKind::Execute, "", &input)),
        ["wc z", "touch x", "rm y", "ls 'a b'"]
    );
    let input = json!({"command": ["bash", "-lc", "ls"], "parsed_cmd": [{"cmd": "rm y"}]});
    assert_eq!(lines(&effect(ToolKind::Execute, "", &input)), ["ls", "rm y"]);
}

#[test]
fn a_list_of_words_stays_whole_unless_it_is_a_shell_with_one_line() {
    let whole = |words: &[&str]| {
        Command::from_words(words.iter().map(|word| (*word).to_owned()).collect()).line
    };
    assert_eq!(whole(&["rm", "-rf", "a b"]), "rm -rf 'a b'");
    assert_eq!(whole(&["bash", "-c", "rm \"$1\"", "_", "x"]), "bash -c 'rm \"$1\"' _ x");
    assert_eq!(whole(&["bash", "--rcfile", "evil", "-c", "ls"]), "bash --rcfile evil -c ls");
    assert_eq!(whole(&["bash", "x.sh"]), "bash x.sh");
    assert_eq!(whole(&["env", "A=1", "bash", "-c", "ls"]), "env A=1 bash -c ls");
    assert_eq!(whole(&["python3", "-c", "print(1)"]), "python3 -c 'print(1)'");
    let listed = Command::from_words(["bash", "-lc", "ls | wc"].map(str::to_owned).into());
    assert_eq!(listed.whole_line(), "bash -lc 'ls | wc'");
    assert_eq!(Command::from_line("ls  | wc").whole_line(), "ls  | wc");
}

#[test]
fn folder_and_variables_belong_to_the_command() {
    for input in [
        json!({"command": "make", "cwd": "/w", "env": {"A": "1", "B": 2}}),
        json!({"cmd": "make", "workdir": "/w", "environment": ["A=1", "B=2"]}),
        json!({"cwd": "/w", "env": [{"name": "A", "value": "1"}, {"name": "B", "value": "2"}],
            "input": {"command": "make"}}),
        json!({"action": {"command": ["make"], "working_directory": "/w", "env": {"A": "1", "B": "2"}}}),
    ] {
        let effect = effect(ToolKind::Execute, "", &input);
        let [command] = effect.commands.as_slice() else { panic!("{input}: {effect:?}") };
        assert_eq!(
            (command.line.as_str(), command.folder.as_deref()),
            ("make", Some("/w")),
            "{input}"
        );
        let variables = [("A".to_owned(), "1".to_owned()), ("B".to_owned(), "2".to_owned())];
        assert_eq!(command.environment, variables, "{input}");
    }
    let odd = effect(ToolKind::Execute, "", &json!({"command": "make", "env": ["A", 3]}));
    assert_eq!(odd.commands[0].environment.len(), 2, "an entry that cannot be read still counts");
    let alone = effect(ToolKind::Other, "", &json!({"cwd": "/w", "env": {"A": "1"}}));
    assert_eq!(
        (alone.paths.as_slice(), alone.arguments),
        (&["/w".to_owned()][..], Some(json!({"env": {"A": "1"}})))
    );
}

#[test]
fn files_of_every_shape_are_read() {
    for input in [
        json!({"file_path": "/w/a.rs"}),
        json!({"filePath": "/w/a.rs"}),
        json!({"fileName": "/w/a.rs"}),
        json!({"path": "/w/a.rs"}),
        json!({"absolute_path": "/w/a.rs"}),
        json!({"notebook_path": "/w/a.rs"}),
        json!({"target_file": "/w/a.rs"}),
        json!({"paths": ["/w/a.rs"]}),
        json!({"files": [{"path": "/w/a.rs"}]}),
        json!({"uri": "file:///w/a.rs"}),
        json!({"changes": {"/w/a.rs": {"type": "add", "content": "x"}}}),
        json!({"input": "*** Begin Patch\n*** Update File: /w/a.rs\n@@\n-a\n+b\n*** End Patch"}),
        json!({"patchText": "*** Begin Patch\n*** Delete File: /w/a.rs\n*** End Patch"}),
        json!({"command": "str_replace", "path": "/w/a.rs", "old_str": "a", "new_str": "b"}),
    ] {
        let effect = effect(ToolKind::Edit, "", &input);
        assert_eq!(effect.paths, ["/w/a.rs"], "{input}");
        assert!(effect.commands.is_empty(), "{input}: {effect:?}");
    }
    let moved =
        json!({"changes": {"/w/a": {"update": {"unified_diff": "x", "move_path": "/w/b"}}}});
    assert_eq!(effect(ToolKind::Edit, "", &moved).paths, ["/w/a", "/w/b"]);
    let input = json!({"path": "/w/a.rs"});
    let call = ReportedCall {
        raw_input: Some(&input),
        locations: &["/w/a.rs", "/w/b.rs"],
        diffs: &["/w/c.rs"],
        ..ReportedCall::default()
    };
    assert_eq!(ToolEffect::of(&call).paths, ["/w/a.rs", "/w/b.rs", "/w/c.rs"]);
}

#[test]
fn addresses_and_other_arguments_are_read() {
    let url = "https://example.org/a";
    for input in
        [json!({"url": url}), json!({"urls": [url]}), json!({"uri": url}), json!({"path": url})]
    {
        assert_eq!(effect(ToolKind::Fetch, "", &input).urls, [url], "{input}");
    }
    let search = effect(ToolKind::Search, "", &json!({"query": "rust", "limit": null}));
    assert_eq!(search.arguments, Some(json!({"query": "rust"})));
    let both = effect(ToolKind::Edit, "", &json!({"path": "/w/a", "delete": true}));
    assert_eq!((both.paths.len(), both.arguments), (1, Some(json!({"delete": true}))));
    let risky = effect(
        ToolKind::Execute,
        "",
        &json!({"command": "ls", "sandbox": "off", "description": "x"}),
    );
    assert_eq!(risky.arguments, Some(json!({"sandbox": "off"})));
    assert_eq!(effect(ToolKind::Other, "", &json!("words")).arguments, Some(json!("words")));
    assert!(effect(ToolKind::Other, "x", &json!({})).is_empty());
}

#[test]
fn a_title_is_stated_only_where_the_input_names_no_command() {
    let none = effect(ToolKind::Execute, "git status", &json!({}));
    assert_eq!((none.commands.len(), none.stated.as_deref()), (0, Some("git status")));
    assert_eq!(effect(ToolKind::Execute, "git status", &json!({"command": "rm x"})).stated, None);
    assert_eq!(effect(ToolKind::Read, "git status", &json!({})).stated, None);
    let without =
        ReportedCall { kind: Some(&ToolKind::Execute), title: "ls", ..ReportedCall::default() };
    assert_eq!(ToolEffect::of(&without).stated.as_deref(), Some("ls"));
}

#[test]
fn deep_and_malformed_inputs_are_read_safely() {
    let mut deep = json!({"command": "rm x"});
    for _ in 0..100 {
        deep = json!({"a": [deep]});
    }
    let effect_of_deep = effect(ToolKind::Execute, "", &deep);
    assert!(effect_of_deep.commands.is_empty() && effect_of_deep.arguments.is_some());
    for odd in [
        json!({"command": 3}),
        json!({"command": {"x": 1}}),
        json!({"command": []}),
        json!({"path": 1}),
    ] {
        assert!(effect(ToolKind::Other, "", &odd).commands.is_empty(), "{odd}");
    }
    assert!(lines(&effect(ToolKind::Execute, "", &json!({"command": "  "}))).is_empty());
    assert_eq!(lines(&effect(ToolKind::Execute, "", &json!({"command": ["ls", 3]}))), ["ls"]);
}

#[test]
fn only_some_values_of_variables_affect_appearance_alone() {
    for (name, value) in
        [("TERM", "dumb"), ("LC_ALL", "C"), ("SHELL", "/bin/bash"), ("GIT_PAGER", "cat")]
    {
        assert!(affects_only_appearance(name, value), "{name}");
    }
    for (name, value) in
        [("PATH", "/evil"), ("SHELL", "/evil/sh"), ("GIT_PAGER", "evil"), ("BASH_ENV", "")]
    {
        assert!(!affects_only_appearance(name, value), "{name}");
    }
}
