//! Languages of systems, close to the machine.

use super::{PLAIN, like_c, literal, long, string, words};
use crate::syntax::languages::Language;

/// Returns the languages.
pub(super) fn languages() -> Vec<Language> {
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
                     static_cast template this thread_local throw try typeid typename using \
                     virtual",
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
                "any bool byte comparable complex64 complex128 error float32 float64 int int8 \
                 int16 int32 int64 rune string uint uint8 uint16 uint32 uint64 uintptr",
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
                "actor any as associatedtype async await break case catch class continue \
                 convenience default defer deinit didSet do else enum extension fallthrough \
                 fileprivate final for func get guard if import in indirect init inout internal is \
                 lazy let mutating nonisolated open operator override precedencegroup private \
                 protocol public repeat required rethrows return self Self set some static struct \
                 subscript super switch throw throws try typealias unowned var weak where while \
                 willSet",
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
    inline register restrict return sizeof static struct switch typedef typeof union volatile \
    while";

const C_TYPES: &str = "bool char double float int long short signed size_t ssize_t unsigned void \
    int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t uintptr_t intptr_t ptrdiff_t \
    FILE _Bool";
