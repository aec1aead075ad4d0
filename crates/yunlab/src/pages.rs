//! The built web pages, inside a program. A module of the programs and not of the library, which is compiled while the
//! pages are built. Debug builds read them from their folder.

use rust_embed::{EmbeddedFile, RustEmbed};

/// Changes with the pages, if the build sets it: the compiler watches the files that it embedded, but not for new ones.
#[cfg(not(debug_assertions))]
const _: Option<&str> = option_env!("PAGES_STAMP");

#[derive(RustEmbed)]
#[folder = "../../web/dist"]
#[allow_missing = true]
struct Pages;

/// Finds a file of the pages by its path.
pub(crate) fn find(path: &str) -> Option<EmbeddedFile> {
    Pages::get(path)
}
