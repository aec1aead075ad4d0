//! `ins_{username}_GPU{5 characters of a-z0-9}` (SPEC §3), and the owner back from it; pure.

const ALPHABET: &[u8; 36] = b"abcdefghijklmnopqrstuvwxyz0123456789";
/// Characters after `_GPU`.
pub(crate) const RANDOM_CHARACTERS: usize = 5;
const PREFIX: &str = "ins_";
/// `_GPU` and the random characters.
const SUFFIX_CHARACTERS: usize = 9;

/// Makes a name from random bytes. Bytes are taken modulo 36: the small bias is harmless, since a name that is taken is
/// drawn again.
pub(crate) fn instance_name(username: &str, random: [u8; RANDOM_CHARACTERS]) -> String {
    let random: String = random.iter().map(|byte| char::from(ALPHABET[usize::from(*byte) % ALPHABET.len()])).collect();
    format!("{PREFIX}{username}_GPU{random}")
}

/// Returns the username in an instance's name; `None` when no instance can have that name.
pub(crate) fn owner_of(name: &str) -> Option<&str> {
    let rest = name.strip_prefix(PREFIX)?;
    let (owner, suffix) = rest.split_at_checked(rest.len().checked_sub(SUFFIX_CHARACTERS)?)?;
    let random = suffix.strip_prefix("_GPU")?;
    (!owner.is_empty() && random.bytes().all(|byte| ALPHABET.contains(&byte))).then_some(owner)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn s169_the_owner_comes_back_from_the_name(
            username in "[A-Za-z0-9._@]{2,20}", random in any::<[u8; RANDOM_CHARACTERS]>(),
        ) {
            let name = instance_name(&username, random);
            prop_assert_eq!(owner_of(&name), Some(username.as_str()));
            prop_assert_eq!(&name[4..name.len() - 9], username.as_str());
        }

        #[test]
        fn no_other_name_has_an_owner(text in any::<String>()) {
            if let Some(owner) = owner_of(&text) {
                let beginning = format!("ins_{owner}_GPU");
                prop_assert!(text.starts_with(&beginning));
            }
        }
    }

    #[test]
    fn near_misses() {
        for name in
            ["", "ins_", "ins__GPUabcde", "ins_ann_GPUabcdE", "ins_ann_GPUabcd", "ann_GPUabcde", "ins_张三_GPU张"]
        {
            assert_eq!(owner_of(name), None, "{name}");
        }
    }
}
