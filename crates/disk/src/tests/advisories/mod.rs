//! Each published flaw of File Browser, and unreported ones, by their numbers: the test repeats the flaw's proof over
//! HTTP, even where this design cannot have it. Those about passwords, signing in and sandboxes need the whole program
//! and are in `tests/tests/it/advisories`.

mod access;
mod accounts;
mod archives;
mod memory;
mod paths;
mod previews;
mod requests;
mod rules;
mod shares;
mod uploads;
