//! The product from outside, one file a topic.

mod kill;
mod sessions;
mod stop;
mod tokens;
