//! Round trips of every params and result type in the method table, with generated values that
//! contain nothing unknown.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

#[path = "json/by_value.rs"]
mod by_value;
#[path = "json/generate.rs"]
mod generate;

use attache_protocol::method::{Call, Method};
use attache_protocol::{
    Error, RequestId, UnknownValues, Wire, decode, decode_known, decode_reporting, each_method,
    each_v2_method, encode,
};
use by_value::{apart, less};
use generate::{Choices, Style, Tree, generate};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use serde_json::Value;
use std::fmt::Debug;

/// Checks the properties of every value of a type.
fn law<T: Wire + PartialEq + Debug>(choices: &[u32]) -> Result<(), TestCaseError> {
    let tree = generate(&T::shape(), &mut Choices::new(choices));
    let text = tree.text(Style::Plain);
    let (value, notices) = decode_reporting::<T>(&text, UnknownValues::Refuse);
    let value = value.map_err(|error| TestCaseError::fail(format!("{error}\nin {text}")))?;
    prop_assert!(notices.is_empty(), "{:?} was dropped from {}", notices, text);

    let encoded = encode(&value);
    let again = decode_known::<T>(&encoded);
    prop_assert_eq!(again.as_ref(), Ok(&value), "after encoding to {}", encoded);
    prop_assert_eq!(encode(&decode::<T>(&encoded).unwrap()), encoded.clone());
    for style in [Style::Reversed, Style::Extra] {
        let text = tree.text(style);
        let (known, kept) = (decode_known::<T>(&text), decode::<T>(&text));
        prop_assert_eq!(known.as_ref(), Ok(&value), "from {}", text);
        prop_assert_eq!(kept.as_ref(), Ok(&value), "from {}", text);
    }
    equal_but_for_defaults::<T>(&tree, &encoded)
}

/// Checks that the encoded JSON has the same values. The members that it leaves out have no
/// meaning.
fn equal_but_for_defaults<T: Wire + PartialEq + Debug>(
    tree: &Tree,
    encoded: &str,
) -> Result<(), TestCaseError> {
    let input: Value = serde_json::from_str(&tree.text(Style::Plain)).unwrap();
    let output: Value = serde_json::from_str(encoded).unwrap();
    let apart = apart(&input, &output)
        .map_err(|why| TestCaseError::fail(format!("{why}\nfrom {input}\nto   {output}")))?;
    for (json, members) in [(&input, apart.0), (&output, apart.1)] {
        let without =
            decode_known::<T>(&less(json, &members).to_string()).map(|value| encode(&value));
        let without: Value =
            serde_json::from_str(&without.map_err(|error| TestCaseError::fail(error.to_string()))?)
                .unwrap();
        prop_assert_eq!(&without, &output, "without {:?}", members);
    }
    Ok(())
}

type Law = fn(&[u32]) -> Result<(), TestCaseError>;

macro_rules! laws {
    ($($group:ident {
        $($function:ident $ty:ident $name:literal
            $params:ident $(=> $result:ident)? { $($rest:tt)* })*
    })*) => {
        &[$($(
            ($name, law::<<rows::$ty as Method>::Params>),
            $((stringify!($result), law::<<rows::$ty as Call>::Result>),)?
        )*)*
        ("error", law::<Error>),
        ("id", law::<RequestId>)]
    };
}

const LAWS: &[(&str, Law)] = {
    use attache_protocol::method as rows;
    each_method! { laws }
};

const LAWS_IN_V2: &[(&str, Law)] = {
    use attache_protocol::method::v2 as rows;
    each_v2_method! { laws }
};

#[test]
fn every_type_reads_what_it_writes_and_writes_what_it_reads() {
    for (name, law) in LAWS.iter().chain(LAWS_IN_V2) {
        let mut runner =
            TestRunner::new(Config { cases: 250, failure_persistence: None, ..Config::default() });
        let choices = proptest::collection::vec(any::<u32>(), 0..160);
        if let Err(failure) = runner.run(&choices, |choices| law(&choices)) {
            panic!("{name}: {failure}");
        }
    }
}

#[test]
fn the_smallest_value_of_every_type_decodes() {
    for (name, law) in LAWS.iter().chain(LAWS_IN_V2) {
        assert!(law(&[]).is_ok(), "{name}: {:?}", law(&[]));
    }
}
