//! The languages.

use super::{Grammar, Language, Quotes};
use crate::span::Role;
use std::collections::HashMap;

/// A string of one line, in which a backslash takes the meaning from the next character.
const fn string(quote: &'static str) -> Quotes {
    Quotes { open: quote, close: quote, escapes: true, lines: false }
}

/// A string of several lines, in which a backslash takes the meaning from the next character.
const fn long(quote: &'static str) -> Quotes {
    Quotes { open: quote, close: quote, escapes: true, lines: true }
}

/// A string without escapes.
const fn literal(quote: &'static str, lines: bool) -> Quotes {
    Quotes { open: quote, close: quote, escapes: false, lines }
}

const SLASHES: &[&str] = &["//"];
const HASH: &[&str] = &["#"];
const STARS: &[(&str, &str)] = &[("/*", "*/")];
const PLAIN: &[Quotes] = &[string("\""), string("'")];

/// Returns the roles of these words.
fn words(
    keywords: &'static str,
    types: &'static str,
    constants: &'static str,
) -> HashMap<&'static str, Role> {
    let of = |words: &'static str, role| words.split_whitespace().map(move |word| (word, role));
    let keywords = of(keywords, Role::Keyword);
    keywords.chain(of(types, Role::Type)).chain(of(constants, Role::Constant)).collect()
}

/// A language with the comments and strings of C.
fn like_c() -> Language {
    Language {
        line_comments: SLASHES,
        block_comments: STARS,
        strings: PLAIN,
        calls: true,
        ..Language::default()
    }
}

/// A language of data with `#` comments.
fn data() -> Language {
    Language {
        grammar: Grammar::Data,
        line_comments: HASH,
        words_hold_comments: true,
        strings: PLAIN,
        words: words("", "", "true false null yes no on off"),
        ..Language::default()
    }
}

/// Returns all languages.
pub(super) fn languages() -> Vec<Language> {
    let mut all = systems();
    all.extend(managed());
    all.extend(scripting());
    all.extend(web());
    all.extend(files());
    all
}

fn systems() -> Vec<Language> {
    vec![
        Language {
            names: "rust rs",
            nested_comments: true,
            strings: const { &[long("\""), string("'")] },
            raw_strings: true,
            lifetimes: true,
            macros: true,
            capital_types: true,
            words: words(
                "as async await break const continue crate dyn else enum extern fn for gen if impl \
                 in let loop match mod move mut pub ref return self Self static struct super trait \
                 type union unsafe use where while yield",
                "bool char f32 f64 i8 i16 i32 i64 i128 isize str u8 u16 u32 u64 u128 usize",
                "true false None Some Ok Err",
            ),
            ..like_c()
        },
        Language {
            names: "c h",
            directives: true,
            words: words(C_KEYWORDS, C_TYPES, "NULL true false"),
            ..like_c()
        },
        Language {
            names: "cpp c++ cc cxx hpp hxx hh cu ino objc m mm objective-c",
            directives: true,
            words: {
                let mut all = words(C_KEYWORDS, C_TYPES, "NULL nullptr true false");
                all.extend(words(
                    "alignas alignof and catch class co_await co_return co_yield concept consteval \
                     constexpr constinit const_cast decltype delete dynamic_cast explicit export \
                     final friend import module mutable namespace new noexcept not operator or \
                     override private protected public reinterpret_cast requires static_assert \
                     static_cast template this thread_local throw try typeid typename using virtual",
                    "string vector map set optional variant shared_ptr unique_ptr string_view \
                     wchar_t char8_t char16_t char32_t",
                    "",
                ));
                all
            },
            ..like_c()
        },
        Language {
            names: "go golang",
            strings: const { &[string("\""), literal("`", true), string("'")] },
            words: words(
                "break case chan const continue default defer else fallthrough for func go goto if \
                 import interface map package range return select struct switch type var",
                "any bool byte comparable complex64 complex128 error float32 float64 int int8 int16 \
                 int32 int64 rune string uint uint8 uint16 uint32 uint64 uintptr",
                "true false nil iota",
            ),
            ..like_c()
        },
        Language {
            names: "swift",
            nested_comments: true,
            strings: const { &[long("\"\"\""), string("\"")] },
            decorators: true,
            capital_types: true,
            words: words(
                "actor any as associatedtype async await break case catch class continue convenience \
                 default defer deinit didSet do else enum extension fallthrough fileprivate final \
                 for func get guard if import in indirect init inout internal is lazy let mutating \
                 nonisolated open operator override precedencegroup private protocol public repeat \
                 required rethrows return self Self set some static struct subscript super switch \
                 throw throws try typealias unowned var weak where while willSet",
                "",
                "true false nil",
            ),
            ..like_c()
        },
        Language {
            names: "zig",
            strings: PLAIN,
            decorators: true,
            block_comments: &[],
            words: words(
                "align allowzero and anyframe anytype asm async await break catch comptime const \
                 continue defer else enum errdefer error export extern fn for if inline noalias or \
                 orelse packed pub resume return struct suspend switch test threadlocal try union \
                 unreachable usingnamespace var volatile while",
                "bool f32 f64 i8 i16 i32 i64 isize u8 u16 u32 u64 usize void type noreturn",
                "true false null undefined",
            ),
            ..like_c()
        },
    ]
}

const C_KEYWORDS: &str = "auto break case const continue default do else enum extern for goto if \
    inline register restrict return sizeof static struct switch typedef typeof union volatile while";

const C_TYPES: &str = "bool char double float int long short signed size_t ssize_t unsigned void \
    int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t uintptr_t intptr_t ptrdiff_t \
    FILE _Bool";

fn managed() -> Vec<Language> {
    vec![
        Language {
            names: "java",
            strings: const { &[long("\"\"\""), string("\""), string("'")] },
            decorators: true,
            capital_types: true,
            words: words(
                "abstract assert break case catch class const continue default do else enum exports \
                 extends final finally for goto if implements import instanceof interface module \
                 native new non-sealed package permits private protected public record requires \
                 return sealed static strictfp super switch synchronized this throw throws \
                 transient try var volatile when while yield",
                "boolean byte char double float int long short void",
                "true false null",
            ),
            ..like_c()
        },
        Language {
            names: "kotlin kt kts gradle groovy",
            nested_comments: true,
            strings: const { &[literal("\"\"\"", true), string("\""), string("'")] },
            decorators: true,
            capital_types: true,
            words: words(
                "abstract actual annotation as break by catch class companion const constructor \
                 continue crossinline data do else enum expect external final finally for fun get \
                 if import in infix init inline inner interface internal is it lateinit lazy \
                 noinline object open operator out override package private protected public \
                 reified return sealed set super suspend tailrec this throw try typealias val var \
                 vararg when where while def",
                "",
                "true false null",
            ),
            ..like_c()
        },
        Language {
            names: "csharp c# cs dotnet",
            strings: const {
                &[literal("\"\"\"", true), literal("@\"", true), string("\""), string("'")]
            },
            directives: true,
            capital_types: true,
            words: words(
                "abstract add as async await base break case catch checked class const continue \
                 default delegate do else enum event explicit extern finally fixed for foreach from \
                 get global goto group if implicit in init interface internal into is join let lock \
                 namespace new not operator or and orderby out override params partial private \
                 protected public readonly record ref remove required return sealed select set \
                 sizeof stackalloc static struct switch this throw try typeof unchecked unsafe \
                 using value var virtual volatile when where while with yield",
                "bool byte char decimal double dynamic float int long nint object sbyte short string \
                 uint ulong ushort void",
                "true false null",
            ),
            ..like_c()
        },
        Language {
            names: "scala sc",
            nested_comments: true,
            strings: const { &[literal("\"\"\"", true), string("\"")] },
            decorators: true,
            capital_types: true,
            words: words(
                "abstract case catch class def derives do else end enum export extends extension \
                 final finally for given if implicit import inline lazy match new object opaque \
                 override package private protected return sealed super then this throw trait try \
                 type using val var while with yield",
                "",
                "true false null None Some Nil",
            ),
            ..like_c()
        },
        Language {
            names: "dart",
            strings: const { &[long("\"\"\""), long("'''"), string("\""), string("'")] },
            decorators: true,
            capital_types: true,
            words: words(
                "abstract as assert async await base break case catch class const continue covariant \
                 default deferred do else enum export extends extension external factory final \
                 finally for get hide if implements import in interface is late library mixin new of \
                 on operator part required rethrow return sealed set show static super switch sync \
                 this throw try typedef var when while with yield",
                "bool double dynamic int num void",
                "true false null",
            ),
            ..like_c()
        },
    ]
}

fn scripting() -> Vec<Language> {
    vec![
        Language {
            names: "python py pyi pyw python3 py3 pycon ipython bzl starlark",
            line_comments: HASH,
            strings: const { &[long("\"\"\""), long("'''"), string("\""), string("'")] },
            decorators: true,
            calls: true,
            capital_types: true,
            words: words(
                "and as assert async await break case class continue def del elif else except \
                 finally for from global if import in is lambda match nonlocal not or pass raise \
                 return self cls try while with yield",
                "bool bytes complex dict float frozenset int list object set str tuple type",
                "True False None NotImplemented",
            ),
            ..Language::default()
        },
        Language {
            names: "ruby rb rake gemspec gemfile rakefile podfile",
            line_comments: HASH,
            block_comments: &[("=begin", "=end")],
            strings: PLAIN,
            calls: true,
            capital_types: true,
            words: words(
                "alias and begin break case class def defined? do else elsif end ensure extend for if \
                 in include loop module next not or private protected public raise redo require \
                 require_relative rescue retry return self super then undef unless until when while \
                 yield attr_accessor attr_reader attr_writer lambda proc puts",
                "",
                "true false nil",
            ),
            ..Language::default()
        },
        Language {
            names: "php",
            line_comments: &["//", "#"],
            strings: const { &[long("\""), long("'")] },
            dollar: true,
            capital_types: true,
            words: words(
                "abstract and as break case catch class clone const continue declare default do echo \
                 else elseif empty enum extends final finally fn for foreach function global goto if \
                 implements include include_once instanceof insteadof interface isset list match \
                 namespace new or print private protected public readonly require require_once return \
                 static switch throw trait try unset use var while xor yield php",
                "array bool callable float int iterable mixed never object string void self parent",
                "true false null TRUE FALSE NULL",
            ),
            ..like_c()
        },
        Language {
            names: "bash sh shell zsh ksh fish console shellsession terminal bashrc zshrc profile \
                    shell-session",
            line_comments: HASH,
            words_hold_comments: true,
            strings: const { &[long("\""), literal("'", true)] },
            dollar: true,
            commands: true,
            words: words(
                "case do done elif else esac fi for function if in select then until while time \
                 return exit local export readonly declare set unset shift trap source alias eval \
                 exec break continue end sudo",
                "",
                "",
            ),
            ..Language::default()
        },
        Language {
            names: "powershell ps1 psm1 pwsh",
            line_comments: HASH,
            block_comments: &[("<#", "#>")],
            strings: const { &[literal("\"", true), literal("'", true)] },
            dollar: true,
            any_case: true,
            words: words(
                "begin break catch class continue data do dynamicparam else elseif end enum exit \
                 filter finally for foreach from function if in param process return switch throw \
                 trap try until using while",
                "",
                "",
            ),
            ..Language::default()
        },
        Language {
            names: "lua",
            line_comments: &["--"],
            block_comments: &[("--[[", "]]")],
            strings: const { &[literal("[[", true), string("\""), string("'")] },
            calls: true,
            words: words(
                "and break do else elseif end for function goto if in local not or repeat return then \
                 until while self",
                "",
                "true false nil",
            ),
            ..Language::default()
        },
        Language {
            names: "elixir ex exs",
            line_comments: HASH,
            strings: const { &[long("\"\"\""), string("\""), string("'")] },
            decorators: true,
            calls: true,
            capital_types: true,
            words: words(
                "after alias and case catch cond def defdelegate defimpl defmacro defmodule defp \
                 defprotocol defstruct do else end fn for if import in not or quote raise receive \
                 require rescue try unless unquote use when with",
                "",
                "true false nil",
            ),
            ..Language::default()
        },
        Language {
            names: "r",
            line_comments: HASH,
            strings: PLAIN,
            calls: true,
            words: words(
                "break else for function if in library next repeat return while",
                "",
                "TRUE FALSE NULL NA NaN Inf",
            ),
            ..Language::default()
        },
        Language {
            names: "sql psql mysql sqlite postgres postgresql plsql",
            line_comments: &["--"],
            block_comments: STARS,
            strings: const { &[literal("'", true), literal("\"", false), literal("`", false)] },
            any_case: true,
            calls: true,
            words: words(
                "add all alter analyze and as asc begin between by cascade case cast check column \
                 commit constraint create cross cte database default delete desc distinct drop else \
                 end except exists explain fetch for foreign from full function grant group having if \
                 in index inner insert intersect into is join key left like limit natural not of \
                 offset on or order outer over partition pragma primary procedure recursive \
                 references rename replace returning revoke right rollback row rows schema select \
                 set table temporary then to transaction trigger truncate union unique update using \
                 values view when where window with without",
                "bigint binary bit blob boolean bytea char date datetime decimal double float int \
                 integer interval json jsonb numeric real serial smallint text time timestamp \
                 timestamptz tinyint uuid varchar",
                "true false null",
            ),
            ..Language::default()
        },
    ]
}

const SCRIPT_KEYWORDS: &str = "abstract as asserts async await break case catch class const \
    continue debugger declare default delete do else enum export extends finally for from function \
    get if implements import in infer instanceof interface is keyof let module namespace new of \
    override private protected public readonly return satisfies set static super switch this throw \
    try type typeof using var while with yield";

fn web() -> Vec<Language> {
    vec![
        Language {
            names: "typescript ts tsx mts cts javascript js jsx mjs cjs node ecmascript",
            strings: const { &[string("\""), string("'"), long("`")] },
            decorators: true,
            capital_types: true,
            words: words(
                SCRIPT_KEYWORDS,
                "any bigint boolean never number object string symbol unknown void",
                "true false null undefined NaN Infinity",
            ),
            ..like_c()
        },
        Language {
            names: "html htm xhtml xml svg vue svelte astro xsl xsd plist csproj props targets xaml \
                    jinja handlebars hbs ejs erb",
            grammar: Grammar::Markup,
            ..Language::default()
        },
        Language {
            names: "css scss less sass",
            grammar: Grammar::Css,
            words: words("important", "", ""),
            ..like_c()
        },
    ]
}

fn files() -> Vec<Language> {
    vec![
        Language {
            names: "json jsonc json5 jsonl ndjson geojson webmanifest ipynb",
            line_comments: SLASHES,
            block_comments: STARS,
            json: true,
            ..data()
        },
        Language { names: "yaml yml clang-format", ..data() },
        Language {
            names: "toml ini cfg conf properties env dotenv gitconfig editorconfig desktop service \
                    lock",
            sections: true,
            line_comments: &["#", ";"],
            strings: const { &[long("\"\"\""), literal("'''", true), string("\""), literal("'", false)] },
            ..data()
        },
        Language {
            names: "dockerfile docker containerfile",
            line_comments: HASH,
            words_hold_comments: true,
            strings: PLAIN,
            dollar: true,
            words: words(
                "FROM AS RUN CMD LABEL MAINTAINER EXPOSE ENV ADD COPY ENTRYPOINT VOLUME USER WORKDIR \
                 ARG ONBUILD STOPSIGNAL HEALTHCHECK SHELL from run cmd copy env arg workdir",
                "",
                "",
            ),
            ..Language::default()
        },
        Language {
            names: "makefile make mk gnumakefile justfile just cmake",
            line_comments: HASH,
            strings: PLAIN,
            dollar: true,
            words: words(
                "define else endef endif export ifdef ifeq ifndef ifneq include override unexport if \
                 elseif function endfunction foreach endforeach set project",
                "",
                "",
            ),
            ..Language::default()
        },
        Language {
            names: "hcl tf terraform tfvars nix proto protobuf graphql gql prisma",
            line_comments: &["#", "//"],
            block_comments: STARS,
            strings: PLAIN,
            calls: true,
            words: words(
                "data enum fragment import in inherit input interface let locals message model module \
                 mutation option oneof optional output package provider query repeated required \
                 resource rpc returns rec service syntax terraform then type union variable with",
                "bool bytes double float int32 int64 string uint32 uint64 Boolean Float ID Int String",
                "true false null",
            ),
            ..Language::default()
        },
        Language { names: "diff patch udiff", grammar: Grammar::Diff, ..Language::default() },
        Language {
            names: "markdown md mdx mkd",
            grammar: Grammar::Markdown,
            ..Language::default()
        },
    ]
}
