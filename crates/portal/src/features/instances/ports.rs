//! Choosing host ports; pure.

use std::collections::HashSet;

/// The lowest port of `from..=to` that is not taken. Low ports first, so that a firewall can be
/// opened for as few as are used.
pub(super) fn choose(from: i64, to: i64, taken: &HashSet<i64>) -> Option<i64> {
    (from..=to).find(|port| !taken.contains(port))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_choice_is_free_in_range_and_missed_only_when_all_are_taken(
            from in 1024_i64..2000, length in 0_i64..40, taken in prop::collection::hash_set(1000_i64..2050, 0..60),
        ) {
            let to = from + length;
            match choose(from, to, &taken) {
                Some(port) => {
                    prop_assert!((from..=to).contains(&port) && !taken.contains(&port));
                    prop_assert!((from..port).all(|lower| taken.contains(&lower)));
                }
                None => prop_assert!((from..=to).all(|port| taken.contains(&port))),
            }
        }
    }
}
