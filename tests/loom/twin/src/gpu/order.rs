//! The barriers of the protocol. The real file decides the instruction of each; this one adds only the place of the
//! call.

use std::panic::Location;

use crate::weaken;

#[path = "../../../../../hal/raw/src/gpu/order.rs"]
#[allow(dead_code, unreachable_pub)]
mod real;

macro_rules! barriers {
    ($($(#[$doc:meta])* $name:ident($($arg:ident: $t:ty)?);)*) => { $(
        $(#[$doc])*
        #[track_caller]
        pub fn $name($($arg: $t)?) {
            if weaken::how(stringify!($name), Location::caller()).is_none() {
                real::$name($($arg)?)
            }
        }
    )* };
}

barriers! {
    /// Acts as the real one.
    written_before_announced(wide: bool);
    /// Acts as the real one.
    reply_before_data();
    /// Acts as the real one.
    record_before_doorbell(wide: bool);
    /// Acts as the real one.
    mine_before_theirs();
    /// Acts as the real one.
    mine_before_theirs_of_block();
}
