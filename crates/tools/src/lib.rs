//! The protocol between the portal and the program that lies in every instance, used by both of its sides.
//!
//! The program beside this library (`main.rs`) is static and mounted read-only into instances. One run of it carries
//! programs, files, TCP and Unix sockets of the instance over its standard input and output, for one connection of a
//! user. docs/TOOLS_PROTOCOL.md describes the frames. [`wire`] parses and writes them, [`link`] keeps the channels of a
//! connection on either side, [`client`] is what the portal uses. Nothing here is text for people: refusals are codes.

#[cfg(feature = "client")]
pub mod client;
pub mod link;
pub mod wire;

/// The folder of the program in an instance. Its subfolder [`APPLETS`] has the names under which shells find its parts.
pub const FOLDER: &str = "/.yunlab";
/// The path of the program in an instance.
pub const PROGRAM: &str = "/.yunlab/tools";
/// Names of the program in a subfolder of its own, last in the search path of shells: images rarely have these.
pub const APPLETS: &str = "bin";
/// The argument with which it serves a connection on its standard input and output.
pub const SERVE: &str = "serve";
/// The variable that marks a program started by an engine. Its value is unique.
pub const MARKER: &str = "YUNLAB_TERMINAL";
