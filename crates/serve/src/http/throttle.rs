//! Slows down addresses that send wrong secrets.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// How many addresses are remembered. Another one takes the place of the one that failed longest
/// ago.
const ADDRESSES: usize = 1024;

/// The delay of the first wrong answer. Each further one doubles it.
const FIRST: Duration = Duration::from_millis(100);

/// The longest delay.
const LONGEST: Duration = Duration::from_secs(10);

/// How long an address is remembered after its last failure.
const MEMORY: Duration = Duration::from_secs(10 * 60);

/// Remembers the addresses that sent wrong secrets. Right secrets are never delayed: an attacker
/// that shares the address with the person, as behind a tunnel, must not lock the person out.
#[derive(Debug, Default)]
pub(super) struct Throttle {
    failures: Mutex<BTreeMap<IpAddr, Failures>>,
}

#[derive(Debug, Clone, Copy)]
struct Failures {
    count: u32,
    last: Instant,
}

impl Throttle {
    /// Counts a wrong secret, and returns how long its answer must wait.
    pub(super) fn failed(&self, address: IpAddr, now: Instant) -> Duration {
        let address = network(address);
        let mut all = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        if !all.contains_key(&address) && all.len() >= ADDRESSES {
            let oldest = all.iter().min_by_key(|(_, failures)| failures.last);
            if let Some(oldest) = oldest.map(|(address, _)| *address) {
                all.remove(&oldest);
            }
        }
        let failures = all.entry(address).or_insert(Failures { count: 0, last: now });
        if now.duration_since(failures.last) >= MEMORY {
            failures.count = 0;
        }
        failures.last = now;
        let delay = FIRST.saturating_mul(1 << failures.count.min(16)).min(LONGEST);
        failures.count = failures.count.saturating_add(1);
        delay
    }
}

/// The network that counts as one address: a person usually has a whole /64 of version 6.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & !u128::from(u64::MAX)))
        }
        address => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[tokio::test]
    async fn only_the_guesser_is_slowed_down() {
        let throttle = Throttle::default();
        let now = Instant::now();
        let guesser = address("192.0.2.1");
        let delays: Vec<_> = (0..9).map(|_| throttle.failed(guesser, now)).collect();
        assert_eq!(delays[0], FIRST);
        assert_eq!(delays[3], FIRST * 8);
        assert_eq!(delays[8], LONGEST);
        assert_eq!(throttle.failed(address("192.0.2.2"), now), FIRST);
        assert_eq!(throttle.failed(address("::ffff:192.0.2.1"), now), LONGEST);
        assert_eq!(throttle.failed(guesser, now + MEMORY), FIRST);
    }

    #[tokio::test]
    async fn addresses_of_one_network_count_together_and_the_table_is_bounded() {
        let throttle = Throttle::default();
        let now = Instant::now();
        assert_eq!(throttle.failed(address("2001:db8::1"), now), FIRST);
        assert_eq!(throttle.failed(address("2001:db8::2"), now), FIRST * 2);
        for count in 0..2 * u32::try_from(ADDRESSES).unwrap() {
            throttle.failed(IpAddr::V4(count.into()), now + Duration::from_secs(1));
        }
        assert_eq!(throttle.failures.lock().unwrap().len(), ADDRESSES);
        assert_eq!(throttle.failed(address("2001:db8::1"), now), FIRST);
    }
}
