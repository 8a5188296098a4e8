//! Languages of web pages.

use super::{like_c, long, string, words};
use crate::syntax::languages::{Grammar, Language};

const SCRIPT_KEYWORDS: &str = "abstract as asserts async await break case catch class const \
    continue debugger declare default delete do else enum export extends finally for from function \
    get if implements import in infer instanceof interface is keyof let module namespace new of \
    override private protected public readonly return satisfies set static super switch this throw \
    try type typeof using var while with yield";

/// Returns the languages.
pub(super) fn languages() -> Vec<Language> {
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
            names: "html htm xhtml xml svg vue svelte astro xsl xsd plist csproj props targets \
                    xaml jinja handlebars hbs ejs erb",
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
