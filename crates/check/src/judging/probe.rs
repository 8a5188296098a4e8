//! A probe of a peer.

use crate::judging::boxed::Boxed;
use crate::judging::verdict::Probed;

/// A check of whether a peer keeps a rule. `R` is the type of the run, which judges either agents
/// or clients.
#[derive(Debug)]
pub(crate) struct Probe<R> {
    /// The id of the rule.
    pub(crate) rule: &'static str,
    /// The name of the function, which states the behaviour that the rule demands.
    pub(crate) name: &'static str,
    pub(crate) run: for<'a> fn(&'a mut R) -> Boxed<'a, Probed>,
}

/// Declares the list of a topic's probes: `probes! { Run: "RULE-01" function_name; … }`.
macro_rules! probes {
    ($run:ty: $($rule:literal $function:ident;)*) => {
        pub(super) const PROBES: &[crate::judging::probe::Probe<$run>] =
            &[$(crate::judging::probe::Probe {
                rule: $rule,
                name: stringify!($function),
                run: |run| Box::pin($function(run)),
            }),*];
    };
}
pub(crate) use probes;

/// Shuffles the probes in an order that depends on `seed`. A seed of 0 keeps their order.
pub(crate) fn in_order_of_seed<P>(mut probes: Vec<P>, seed: u64) -> Vec<P> {
    let mut state = seed;
    for last in (1..probes.len()).rev().filter(|_| seed != 0) {
        // This is SplitMix64, so that a seed gives the same order on every machine.
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        let other = usize::try_from(mixed % (last as u64 + 1)).unwrap_or_default();
        probes.swap(last, other);
    }
    probes
}
