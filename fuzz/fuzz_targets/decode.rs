//! Decodes one line of a peer as an envelope, then its params or result as each method's type, in
//! both versions.
//!
//! Run it with `cargo +nightly fuzz run decode`. The lines of `crates/protocol/tests/fixtures` are
//! a good initial corpus.

#![no_main]

use attache_protocol::envelope::Message;
use attache_protocol::method::{Call, Method};
use attache_protocol::{
    UnknownValues, Wire, decode, decode_reporting, each_method, each_v2_method, encode,
};
use libfuzzer_sys::fuzz_target;

macro_rules! feed_all {
    ($text:ident $($group:ident {
        $($function:ident $ty:ident $name:literal $params:ident $(=> $result:ident)? {
            $($rest:tt)*
        })*
    })*) => {
        $($(
            feed::<<rows::$ty as Method>::Params>($text);
            $(
                feed::<<rows::$ty as Call>::Result>($text);
                let _ = stringify!($result);
            )?
        )*)*
    };
}

/// Decodes the text. A decoded value must survive encoding and decoding unchanged.
fn feed<T: Wire>(text: &str) {
    for unknown in [UnknownValues::Keep, UnknownValues::Refuse] {
        if let Ok(value) = decode_reporting::<T>(text, unknown).0 {
            let encoded = encode(&value);
            let again = decode::<T>(&encoded).map(|value| encode(&value));
            assert_eq!(again.as_ref(), Ok(&encoded), "{text}");
        }
    }
}

fuzz_target!(|line: &[u8]| {
    let text = match Message::read(line) {
        Ok(Message::Call { params, .. } | Message::Notification { params, .. }) => {
            params.unwrap_or("{}")
        }
        Ok(Message::Reply { outcome: Ok(result), .. }) => result,
        Ok(Message::Reply { outcome: Err(_), .. }) | Err(_) => match std::str::from_utf8(line) {
            Ok(text) => text,
            Err(_) => return,
        },
    };
    {
        use attache_protocol::method as rows;
        each_method! { feed_all text }
    }
    {
        use attache_protocol::method::v2 as rows;
        each_v2_method! { feed_all text }
    }
});
