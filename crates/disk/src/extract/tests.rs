//! Names, links and formats from inside. Whole archives are in `tests/extracting.rs`.
