//! Languages with a managed runtime.

use super::{like_c, literal, long, string, words};
use crate::syntax::languages::Language;

/// Returns the languages.
pub(super) fn languages() -> Vec<Language> {
    vec![
        Language {
            names: "java",
            strings: const { &[long("\"\"\""), string("\""), string("'")] },
            decorators: true,
            capital_types: true,
            words: words(
                "abstract assert break case catch class const continue default do else enum \
                 exports extends final finally for goto if implements import instanceof interface \
                 module native new non-sealed package permits private protected public record \
                 requires return sealed static strictfp super switch synchronized this throw \
                 throws transient try var volatile when while yield",
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
                 default delegate do else enum event explicit extern finally fixed for foreach \
                 from get global goto group if implicit in init interface internal into is join \
                 let lock namespace new not operator or and orderby out override params partial \
                 private protected public readonly record ref remove required return sealed select \
                 set sizeof stackalloc static struct switch this throw try typeof unchecked unsafe \
                 using value var virtual volatile when where while with yield",
                "bool byte char decimal double dynamic float int long nint object sbyte short \
                 string uint ulong ushort void",
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
                "abstract as assert async await base break case catch class const continue \
                 covariant default deferred do else enum export extends extension external factory \
                 final finally for get hide if implements import in interface is late library \
                 mixin new of on operator part required rethrow return sealed set show static \
                 super switch sync this throw try typedef var when while with yield",
                "bool double dynamic int num void",
                "true false null",
            ),
            ..like_c()
        },
    ]
}
