//! Languages of data and of descriptions.

use super::{HASH, PLAIN, SLASHES, STARS, data, literal, long, string, words};
use crate::syntax::languages::{Grammar, Language};

/// Returns the languages.
pub(super) fn languages() -> Vec<Language> {
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
                "FROM AS RUN CMD LABEL MAINTAINER EXPOSE ENV ADD COPY ENTRYPOINT VOLUME USER \
                 WORKDIR ARG ONBUILD STOPSIGNAL HEALTHCHECK SHELL from run cmd copy env arg \
                 workdir",
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
                "define else endef endif export ifdef ifeq ifndef ifneq include override unexport \
                 if elseif function endfunction foreach endforeach set project",
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
                "data enum fragment import in inherit input interface let locals message model \
                 module mutation option oneof optional output package provider query repeated \
                 required resource rpc returns rec service syntax terraform then type union \
                 variable with",
                "bool bytes double float int32 int64 string uint32 uint64 Boolean Float ID Int \
                 String",
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
