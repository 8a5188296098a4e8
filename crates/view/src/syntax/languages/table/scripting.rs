//! Languages of scripts and queries.

use super::{HASH, PLAIN, STARS, like_c, literal, long, string, words};
use crate::syntax::languages::Language;

/// Returns the languages.
pub(super) fn languages() -> Vec<Language> {
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
                "alias and begin break case class def defined? do else elsif end ensure extend for \
                 if in include loop module next not or private protected public raise redo require \
                 require_relative rescue retry return self super then undef unless until when \
                 while yield attr_accessor attr_reader attr_writer lambda proc puts",
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
                "abstract and as break case catch class clone const continue declare default do \
                 echo else elseif empty enum extends final finally fn for foreach function global \
                 goto if implements include include_once instanceof insteadof interface isset list \
                 match namespace new or print private protected public readonly require \
                 require_once return static switch throw trait try unset use var while xor yield \
                 php",
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
                "and break do else elseif end for function goto if in local not or repeat return \
                 then until while self",
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
                 commit constraint create cross cte database default delete desc distinct drop \
                 else end except exists explain fetch for foreign from full function grant group \
                 having if in index inner insert intersect into is join key left like limit \
                 natural not of offset on or order outer over partition pragma primary procedure \
                 recursive references rename replace returning revoke right rollback row rows \
                 schema select set table temporary then to transaction trigger truncate union \
                 unique update using values view when where window with without",
                "bigint binary bit blob boolean bytea char date datetime decimal double float int \
                 integer interval json jsonb numeric real serial smallint text time timestamp \
                 timestamptz tinyint uuid varchar",
                "true false null",
            ),
            ..Language::default()
        },
    ]
}
