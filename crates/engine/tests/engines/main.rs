//! The contract of an engine, tried on real Docker engines.

#![expect(clippy::unwrap_used, reason = "clippy knows a test by its attribute, and helpers of tests have none")]

mod cards;
mod conformance;
mod failures;
mod images;
mod life;
mod limits;
mod machine_helper;
mod networks;
mod observed;
mod restarts;
mod support;
mod terminals;
mod tools;
mod transfers;
