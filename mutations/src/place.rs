//! The place of a mutation in its file, and the file with all its mutations as branches.

use crate::Problem;
use attache_mutations::Mutation;
use std::ops::Range;

/// The bytes of a file that mutations replace.
struct Place {
    range: Range<usize>,
    mutations: Vec<&'static Mutation>,
}

/// Returns `text` with a branch for every mutation that can be applied, and the problems of the
/// others.
pub(crate) fn with_branches(
    text: &str,
    mutations: &[&'static Mutation],
    problems: &mut Vec<Problem>,
) -> String {
    let mut places: Vec<Place> = Vec::new();
    for mutation in mutations {
        let found = find(text, mutation).and_then(|range| {
            if let Some(place) = places.iter_mut().find(|place| place.range == range) {
                place.mutations.push(mutation);
                return Ok(());
            }
            match places.iter().find(|place| overlap(&place.range, &range)) {
                Some(place) => Err(format!(
                    "its code in {} overlaps the code of {:?}: make one of them contain the other",
                    mutation.file,
                    place.mutations.first().map_or("", |other| other.name)
                )),
                None => {
                    places.push(Place { range, mutations: vec![mutation] });
                    Ok(())
                }
            }
        });
        if let Err(what) = found {
            problems.push(Problem { mutation: mutation.name, what });
        }
    }
    // Put an outer place before the places inside it.
    places.sort_by_key(|place| (place.range.start, std::cmp::Reverse(place.range.end)));
    write(text, 0..text.len(), &mut places.as_slice())
}

fn overlap(one: &Range<usize>, other: &Range<usize>) -> bool {
    let apart = one.end <= other.start || other.end <= one.start;
    let within = |inner: &Range<usize>, outer: &Range<usize>| {
        outer.start <= inner.start && inner.end <= outer.end
    };
    !apart && !within(one, other) && !within(other, one)
}

/// Returns this part of the text with its branches. Removes the places that begin in the part from
/// `places`.
fn write(text: &str, part: Range<usize>, places: &mut &[Place]) -> String {
    let (mut out, mut position) = (String::new(), part.start);
    while let Some((place, rest)) =
        places.split_first().filter(|(place, _)| place.range.start < part.end)
    {
        *places = rest;
        out += text.get(position..place.range.start).unwrap_or_default();
        let original = write(text, place.range.clone(), places);
        out += &branches(place, &original);
        position = place.range.end;
    }
    out + text.get(position..part.end).unwrap_or_default()
}

/// Returns the code with its branches. A statement becomes a block. An expression becomes an
/// expression that is valid in any position.
fn branches(place: &Place, original: &str) -> String {
    let mut chain = String::new();
    for mutation in &place.mutations {
        chain += &format!(
            "if crate::mutation::is({:?}) {{ {} }} else ",
            mutation.name,
            mutation.to.trim()
        );
    }
    chain += &format!("{{ {original} }}");
    if original.trim_end().ends_with([';', '}']) {
        format!("{{ {chain} }}")
    } else {
        format!("({chain})")
    }
}

/// Returns the bytes that the mutation replaces. The search ignores white space and trailing
/// commas, because rustfmt adds and removes them.
fn find(text: &str, mutation: &Mutation) -> Result<Range<usize>, String> {
    let inked = significant(text.char_indices());
    let parts = [&mutation.before, &mutation.from, &mutation.after];
    let wanted = significant(
        parts.iter().enumerate().flat_map(|(part, text)| text.chars().map(move |c| (part, c))),
    );
    let (before, from) = (length_of(&wanted, 0), length_of(&wanted, 1));
    let haystack: String = inked.iter().map(|(_, character)| *character).collect();
    let wanted: String = wanted.iter().map(|(_, character)| *character).collect();
    // If the text to find ends with a comma, a closing bracket can follow in the source.
    // `significant` leaves out such a comma in the source, so it must be left out here too.
    let wanted = wanted.trim_end_matches(',');
    let mut found = haystack.match_indices(wanted).map(|(position, _)| position);
    let (first, second) = (found.next(), found.next());
    let position = match (first, second) {
        (None, _) => {
            return Err(format!(
                "{} does not contain the text to replace: {}",
                mutation.file,
                mutation.from.trim()
            ));
        }
        (Some(_), Some(_)) => {
            return Err(format!(
                "{} contains the text to replace more than once: add lines around it: {}",
                mutation.file,
                mutation.from.trim()
            ));
        }
        (Some(position), None) => position,
    };
    let start = haystack.get(..position).map_or(0, |text| text.chars().count()) + before;
    let end = start + from;
    match (inked.get(start), end.checked_sub(1).and_then(|last| inked.get(last))) {
        (Some((start, _)), Some((end, last))) => Ok(*start..end + last.len_utf8()),
        _ => Err("it replaces nothing".to_owned()),
    }
}

/// Returns the characters without white space and without commas before a closing bracket.
fn significant<T>(characters: impl Iterator<Item = (T, char)>) -> Vec<(T, char)> {
    let mut kept: Vec<(T, char)> = Vec::new();
    for (mark, character) in characters.filter(|(_, character)| !character.is_whitespace()) {
        if matches!(character, ')' | ']' | '}' | '>')
            && kept.last().is_some_and(|last| last.1 == ',')
        {
            kept.pop();
        }
        kept.push((mark, character));
    }
    kept
}

fn length_of(characters: &[(usize, char)], part: usize) -> usize {
    characters.iter().filter(|(of, _)| *of == part).count()
}

#[cfg(test)]
mod tests {
    use super::{find, overlap, with_branches};
    use attache_mutations::{Mutation, mutations};

    /// Returns a mutation for a test: a real mutation with some parts replaced.
    fn mutation(
        name: &'static str,
        before: &str,
        from: &str,
        to: &str,
        after: &str,
    ) -> &'static Mutation {
        let mut mutation = mutations().first().unwrap().clone();
        mutation.name = name;
        [mutation.before, mutation.from, mutation.to, mutation.after] =
            [before, from, to, after].map(str::to_owned);
        Box::leak(Box::new(mutation))
    }

    fn written(text: &str, mutations: &[&'static Mutation]) -> Result<String, String> {
        let mut problems = Vec::new();
        let written = with_branches(text, mutations, &mut problems);
        match problems.pop() {
            Some(problem) => Err(problem.what),
            None => Ok(written),
        }
    }

    #[test]
    fn white_space_does_not_count() {
        let text = "é {\n    if  a\n        == b {\n";
        let range = find(text, mutation("m", "{if", "a==b", "", " {")).unwrap();
        assert_eq!(&text[range], "a\n        == b");
    }

    #[test]
    fn trailing_commas_do_not_count() {
        let text = "f(\n    a,\n    [b, c,],\n);";
        let range = find(text, mutation("m", "f(", "a, [b, c]", "", ");")).unwrap();
        assert_eq!(&text[range], "a,\n    [b, c,]");
        let range = find("f(a, [b, c]);", mutation("m", "f(", "a, [b, c,],", "", ");")).unwrap();
        assert_eq!(range, 2..11);
    }

    #[test]
    fn an_expression_and_a_statement_become_branches() {
        let expression = written("x = a + b;", &[mutation("m", "", "a + b", "0", "")]).unwrap();
        assert_eq!(expression, r#"x = (if crate::mutation::is("m") { 0 } else { a + b });"#);
        let statement = written("go(); stop();", &[mutation("m", "", "go();", "", "")]).unwrap();
        assert_eq!(statement, r#"{ if crate::mutation::is("m") {  } else { go(); } } stop();"#);
    }

    #[test]
    fn several_mutations_of_one_place_are_a_chain() {
        let chain =
            written("f(a)", &[mutation("1", "", "a", "b", ""), mutation("2", "f(", "a", "c", "")])
                .unwrap();
        assert_eq!(
            chain,
            r#"f((if crate::mutation::is("1") { b } else if crate::mutation::is("2") { c } else { a }))"#
        );
    }

    #[test]
    fn one_place_may_be_inside_another() {
        let (outer, inner, next) = (
            mutation("outer", "", "f(a);", "", ""),
            mutation("inner", "", "a", "b", ""),
            mutation("next", "", "g()", "h()", ""),
        );
        let nested = written("f(a); g()", &[inner, next, outer]).unwrap();
        assert_eq!(
            nested,
            "{ if crate::mutation::is(\"outer\") {  } else { f((if crate::mutation::is(\"inner\") { b } else { a })); } } \
             (if crate::mutation::is(\"next\") { h() } else { g() })"
        );
        assert!(
            overlap(&(0..2), &(1..3)) && !overlap(&(0..2), &(2..3)) && !overlap(&(0..3), &(1..2))
        );
        assert!(
            written("a b c", &[mutation("1", "", "a b", "", ""), mutation("2", "", "b c", "", "")])
                .unwrap_err()
                .contains("contain the other")
        );
    }

    #[test]
    fn code_that_does_not_occur_once_is_refused() {
        assert!(
            written("f(x)", &[mutation("m", "", "y", "", "")])
                .unwrap_err()
                .contains("does not contain")
        );
        assert!(
            written("x x", &[mutation("m", "", "x", "", "")])
                .unwrap_err()
                .contains("more than once")
        );
    }
}
