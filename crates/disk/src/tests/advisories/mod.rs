//! Each published flaw of File Browser, and the traps that nobody reported, by their numbers: the test
//! does over HTTP what the flaw's proof does, also where what is built here can't have it. Only what
//! passwords, signing in and sandboxes need the whole program for is in `tests/tests/it/advisories`.

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
