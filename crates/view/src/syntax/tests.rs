use super::{highlighter, language_of_path};
use crate::Role;
use proptest::prelude::*;

/// Writes the pieces of code with their roles: `k:fn` is a keyword. Pieces without an exact role
/// are not written.
fn roles(language: &str, code: &str) -> Vec<String> {
    let mut highlighter = highlighter(language);
    let lines = code.lines().map(|line| highlighter.line(line));
    let mut all = Vec::new();
    for span in lines.flat_map(|line| line.spans) {
        let role = match span.style.role {
            Role::Keyword => "k",
            Role::Function => "f",
            Role::Type => "t",
            Role::String => "s",
            Role::Constant => "n",
            Role::Comment => "c",
            Role::Added => "+",
            Role::Removed => "-",
            _ => continue,
        };
        all.push(format!("{role}:{}", span.text.trim_end()));
    }
    all
}

fn check(language: &str, code: &str, expected: &str) {
    assert_eq!(roles(language, code).join(" "), expected, "{language}: {code}");
}

#[test]
fn each_language_has_its_words() {
    check(
        "rust",
        "pub fn name<'a>(x: &'a str) -> Option<u8> { say!('x', r#\"a\"b\"#, 0x1f) } // end",
        "k:pub k:fn t:'a t:'a t:str t:Option t:u8 f:say! s:'x' s:r#\"a\"b\"# n:0x1f c:// end",
    );
    check(
        "ts",
        "const a: Map = await f(`x`, null); // c",
        "k:const t:Map k:await f:f s:`x` n:null c:// c",
    );
    check(
        "python",
        "@app.get\ndef f(self): return {'a': None}  # c",
        "f:@app k:def f:f k:self k:return s:'a' n:None c:# c",
    );
    check(
        "go",
        "func (s *Server) Run() error { return nil }",
        "k:func f:Run t:error k:return n:nil",
    );
    check(
        "cpp",
        "#include <x>\nstd::string s = \"a\\\"b\"; /* c */",
        "k:#include t:string s:\"a\\\"b\" c:/* c */",
    );
    check(
        "java",
        "@Override public int size() { return 'x'; }",
        "f:@Override k:public t:int f:size k:return s:'x'",
    );
    check("c#", "var x = new List<int>(MAX_SIZE);", "k:var k:new t:List t:int n:MAX_SIZE");
    check("rb", "def run; puts \"a\" # c", "k:def k:puts s:\"a\" c:# c");
    check("php", "function f($a) { return null; }", "k:function f:f n:$a k:return n:null");
    check("sh", "$ git commit -m 'a b' | wc # c", "f:git s:'a b' f:wc c:# c");
    check("bash", "A=1 make x#y && echo $HOME", "n:1 f:make f:echo n:$HOME");
    check("sql", "SELECT name FROM t WHERE id = 3 -- c", "k:SELECT k:FROM k:WHERE n:3 c:-- c");
    check(
        "kotlin",
        "fun f(x: Int) = when (x) { else -> null }",
        "k:fun f:f t:Int k:when k:else n:null",
    );
    check(
        "swift",
        "guard let x = f() else { return nil }",
        "k:guard k:let f:f k:else k:return n:nil",
    );
    check("dockerfile", "FROM rust:1 AS build\nRUN make # c", "k:FROM n:1 k:AS k:RUN c:# c");
}

#[test]
fn data_has_keys_and_values() {
    check(
        "json",
        "{\"a\": 1, \"b\": \"x\", \"c\": true}",
        "f:\"a\" n:1 f:\"b\" s:\"x\" f:\"c\" n:true",
    );
    check("jsonc", "{\"a\": [\"b\"], \"c\": 1} // \"d\"", "f:\"a\" s:\"b\" f:\"c\" n:1 c:// \"d\"");
    check("yaml", "a: 1\n- b: \"x\" # c\nd:", "f:a n:1 f:b s:\"x\" c:# c f:d");
    check("yaml", "run: |\n  don't\nb: no", "f:run s:  don't f:b n:no");
    check("toml", "[a.b]\nc = \"x\" # d\n", "t:[a.b] f:c s:\"x\" c:# d");
    check(
        "html",
        "<a href=\"x\">y &amp; z</a><!-- c -->",
        "k:a f:href s:\"x\" n:&amp; k:a c:<!-- c -->",
    );
    check("html", "<script>\nlet a;\n</script>", "k:script k:let k:script");
    check("css", ".a { color: #fff; }\n  margin: 1px;", "t:.a f:color n:#fff f:margin n:1px");
    check("markdown", "# T\n- a `b`\n```rs\nfn\n```", "k:# T k:- s:b` s:```rs k:fn s:```");
    check("diff", "--- a\n+b\n-c\n d", "k:--- a +:+b -:-c");
}

#[test]
fn constructs_go_on_in_the_next_line() {
    check("rust", "/* a /* b\n*/ c\n*/ fn", "c:/* a /* b c:*/ c c:*/ k:fn");
    check("py", "'''a\nb''' if", "s:'''a s:b''' k:if");
    check("js", "`a\nb` if", "s:`a s:b` k:if");
    check("sh", "cat <<'E' > f\nit's\nE\nls", "f:cat s:'E' s:it's s:E f:ls");
    // A string that does not end in its line is over there.
    check("js", "'a\nif", "s:'a k:if");
}

#[test]
fn names_and_paths_tell_the_language() {
    for (path, language) in [
        ("src/main.rs", "rust"),
        ("a/b.test.tsx", "typescript"),
        ("Dockerfile", "dockerfile"),
        ("x/Dockerfile.dev", "dockerfile"),
        ("/home/me/.bashrc", "bash"),
        ("C:\\a\\b.cs", "csharp"),
        ("Cargo.lock", "toml"),
        ("README.md", "markdown"),
        ("Makefile", "makefile"),
        ("go", ""),
        ("", ""),
        ("a.unknown", ""),
    ] {
        assert_eq!(language_of_path(path), language, "{path}");
    }
    for said in ["rust", "Rust", "rs", "rust,ignore", "{.rust}", "rust:src/a.rs", "1:9:src/a.rs"] {
        assert_eq!(roles(said, "fn"), ["k:fn"], "{said}");
    }
    assert_eq!(roles("", "fn"), [""; 0]);
    assert_eq!(roles("unknown", "fn"), [""; 0]);
}

const NAMES: &[&str] = &[
    "rust",
    "c",
    "cpp",
    "go",
    "swift",
    "zig",
    "java",
    "kotlin",
    "c#",
    "scala",
    "dart",
    "python",
    "ruby",
    "php",
    "bash",
    "powershell",
    "lua",
    "elixir",
    "r",
    "sql",
    "ts",
    "html",
    "css",
    "json",
    "yaml",
    "toml",
    "dockerfile",
    "makefile",
    "hcl",
    "diff",
    "markdown",
    "",
];

/// A pattern for lines of any language.
const CODE: &str = "[a-z0-9 \"'`#/*<>!=\\-\\[\\]{}()$@:;,.|&\\\\é漢]{0,30}";

proptest! {
    #[test]
    fn no_character_is_lost_or_added(
        language in proptest::sample::select(NAMES),
        lines in proptest::collection::vec(CODE, 0..6),
    ) {
        let mut highlighter = highlighter(language);
        for line in lines {
            prop_assert_eq!(highlighter.line(&line).text(), line);
        }
    }

    #[test]
    fn no_control_character_is_left(
        language in proptest::sample::select(NAMES),
        line in "\\PC{0,3}[\\x00-\\x1f\\x7f-\\x9f\u{202a}-\u{202e}a\"]{0,9}",
    ) {
        let shown = highlighter(language).line(&line).text();
        let bad = |c: char| c.is_control() || ('\u{202a}'..='\u{202e}').contains(&c);
        prop_assert!(!shown.contains(bad));
    }
}
