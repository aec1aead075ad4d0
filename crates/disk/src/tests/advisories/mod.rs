//! Each published flaw of File Browser that what is built here could have, by its number: the
//! test does what the flaw's proof does. Further ones have their number at a test elsewhere.

mod access;
mod accounts;
mod archives;
mod memory;
mod paths;
mod rules;
mod shares;
mod uploads;
