//! The driver of Kubernetes, tried on a real cluster.

#![expect(clippy::unwrap_used, reason = "clippy knows a test by its attribute, and helpers of tests have none")]

mod cards;
mod conformance;
mod faults;
mod lab;
mod life;
mod programs;
mod refusals;
