//! Password hashes of other programs, as text.

/// Cost is exponential: above this a single verification takes seconds.
const MAX_COST: u32 = 14;

/// Whether this is a bcrypt hash that can be verified: `$2a$10$` and 53 characters of bcrypt's base64. `false` above a
/// cost of 14.
#[must_use]
pub fn is_bcrypt_hash(text: &str) -> bool {
    let Some(rest) = ["$2a$", "$2b$", "$2y$"].iter().find_map(|kind| text.strip_prefix(kind)) else { return false };
    let Some((cost, hash)) = rest.split_once('$') else { return false };
    let in_alphabet = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'.' || byte == b'/';
    cost.len() == 2
        && cost.bytes().all(|byte| byte.is_ascii_digit())
        && cost.parse::<u32>().is_ok_and(|cost| (4..=MAX_COST).contains(&cost))
        && hash.len() == 53
        && hash.bytes().all(in_alphabet)
}

#[cfg(test)]
mod tests {
    use super::is_bcrypt_hash;

    #[test]
    fn only_what_can_be_checked_is_one() {
        let hash = "s.HfS13xBJKc7mrNEz9HMOdGxh2m3QvXD8vQ7q4rIuB8uRVuyCtn.";
        for kind in ["2a", "2b", "2y"] {
            assert!(is_bcrypt_hash(&format!("${kind}$10${hash}")), "{kind}");
        }
        for wrong in ["$2a$31$", "$2a$3$", "$2a$+9$", "$2x$10$", "$argon2id$v=19$", "2a$10$", "$2a$10"] {
            assert!(!is_bcrypt_hash(&format!("{wrong}{hash}")), "{wrong}");
        }
        assert!(!is_bcrypt_hash("") && !is_bcrypt_hash(&format!("$2a$10${}!", &hash[1..])));
    }
}
