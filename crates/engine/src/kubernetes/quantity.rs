//! Numbers with units, as Kubernetes writes them.

/// Bytes of `24Gi`, `1500M`, `1e9` or `12`; 0 for what is no number, and at most `u64::MAX`.
pub(super) fn bytes(text: &str) -> u64 {
    whole(value(text))
}

/// Thousandths of a core of `2`, `1500m`; of a byte in the same way.
pub(super) fn millicores(text: &str) -> u64 {
    whole(value(text) * 1000.0)
}

fn value(text: &str) -> f64 {
    const UNITS: [(&str, f64); 14] = [
        ("Ki", 1024.0),
        ("Mi", 1_048_576.0),
        ("Gi", 1_073_741_824.0),
        ("Ti", 1_099_511_627_776.0),
        ("Pi", 1_125_899_906_842_624.0),
        ("Ei", 1_152_921_504_606_846_976.0),
        ("n", 1e-9),
        ("u", 1e-6),
        ("m", 1e-3),
        ("k", 1e3),
        ("M", 1e6),
        ("G", 1e9),
        ("T", 1e12),
        ("P", 1e15),
    ];
    let unit = UNITS.iter().find_map(|(unit, factor)| Some((text.strip_suffix(unit)?, *factor)));
    let (number, factor) = unit.unwrap_or((text, 1.0));
    number.parse::<f64>().map_or(0.0, |number| number * factor)
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a cast of a float saturates")]
fn whole(number: f64) -> u64 {
    number.round() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_read() {
        for (text, wanted) in [
            ("24Gi", 24 << 30),
            ("64Mi", 64 << 20),
            ("128974848", 128_974_848),
            ("129e6", 129_000_000),
            ("129M", 129_000_000),
            ("", 0),
            ("-1", 0),
            ("x", 0),
        ] {
            assert_eq!(bytes(text), wanted, "{text}");
        }
        assert_eq!((millicores("2"), millicores("1500m"), millicores("0.5")), (2000, 1500, 500));
    }
}
