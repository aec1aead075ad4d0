//! `#[derive(Record)]` of db-kit. It writes implementations of the traits in `db_kit::record` and knows nothing of
//! databases itself.

mod attributes;
mod expand;

use proc_macro::TokenStream;
use syn::DeriveInput;

/// Makes a struct a row: its fields are columns.
///
/// Attributes of the struct, as `#[record(…)]`:
/// - `table = "…"`: the table whose rows it is, which also implements `Record`. Without it the struct is a part of other
///   rows, or the result of a query of its own.
/// - `key = "…"`: the columns that identify a row, separated by commas; `id` if left out.
///
/// Attributes of a field. Without any it is one column of its own name:
/// - `column = "…"`: the column's name.
/// - `word`: an enum without data as a word, spelt as serde spells it. Unknown words are errors.
/// - `json`: any serialisable value as a JSON text; with `default`, null is read as the type's default.
/// - `columns`, or `columns("…", "…")` with other names: a struct that spreads over several columns. As an `Option` it
///   is absent where the first of them is null.
/// - `insert_only`: `update` and `put` leave it as it is in a row that exists.
/// - `read_only`: the database or other statements write it.
/// - `computed`: read from the rows by this name, but no column of the table: the statement selects it. With `columns`,
///   a struct that the statement joins.
/// - `skip`: not in the rows; `Default` when they are read.
#[proc_macro_derive(Record, attributes(record))]
pub fn record(input: TokenStream) -> TokenStream {
    let input = syn::parse_macro_input!(input as DeriveInput);
    expand::record(&input).unwrap_or_else(syn::Error::into_compile_error).into()
}
