//! The attributes `#[record(…)]` of a struct and of its fields.

use syn::meta::ParseNestedMeta;
use syn::punctuated::Punctuated;
use syn::{Attribute, LitStr, Result, Token, parenthesized, token};

/// The attributes of a struct.
pub(crate) struct StructAttributes {
    /// `None`: it is a part of other rows.
    pub(crate) table: Option<LitStr>,
    pub(crate) key: Vec<String>,
}

/// How a field is stored.
pub(crate) enum Form {
    Column,
    Word,
    Json,
    /// With other names than the struct's own, if there are any.
    Columns(Option<Vec<LitStr>>),
    /// Not at all.
    Skip,
}

/// Who writes a field.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Written {
    Always,
    Inserted,
    Never,
    /// It is no column of the table.
    Computed,
}

/// The attributes of a field.
pub(crate) struct FieldAttributes {
    pub(crate) column: Option<LitStr>,
    pub(crate) form: Form,
    /// Null is read as the type's default.
    pub(crate) default: bool,
    pub(crate) written: Written,
}

/// Parses the attributes of a struct.
pub(crate) fn of_struct(attributes: &[Attribute]) -> Result<StructAttributes> {
    let mut found = StructAttributes { table: None, key: vec!["id".to_owned()] };
    each(attributes, |meta| {
        if meta.path.is_ident("table") {
            found.table = Some(text(meta)?);
        } else if meta.path.is_ident("key") {
            found.key = text(meta)?.value().split(',').map(|name| name.trim().to_owned()).collect();
        } else {
            return Err(meta.error("a struct has `table` and `key`"));
        }
        Ok(())
    })?;
    Ok(found)
}

/// Parses the attributes of a field.
pub(crate) fn of_field(attributes: &[Attribute]) -> Result<FieldAttributes> {
    let mut found = FieldAttributes { column: None, form: Form::Column, default: false, written: Written::Always };
    each(attributes, |meta| {
        if meta.path.is_ident("column") {
            found.column = Some(text(meta)?);
        } else if meta.path.is_ident("word") {
            found.form = Form::Word;
        } else if meta.path.is_ident("json") {
            found.form = Form::Json;
        } else if meta.path.is_ident("default") {
            found.default = true;
        } else if meta.path.is_ident("columns") {
            found.form = Form::Columns(names(meta)?);
        } else if meta.path.is_ident("skip") {
            found.form = Form::Skip;
        } else if meta.path.is_ident("insert_only") {
            found.written = Written::Inserted;
        } else if meta.path.is_ident("read_only") {
            found.written = Written::Never;
        } else if meta.path.is_ident("computed") {
            found.written = Written::Computed;
        } else {
            return Err(meta.error("unknown attribute of a field"));
        }
        Ok(())
    })?;
    Ok(found)
}

fn each(attributes: &[Attribute], mut logic: impl FnMut(&ParseNestedMeta<'_>) -> Result<()>) -> Result<()> {
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("record")) {
        attribute.parse_nested_meta(|meta| logic(&meta))?;
    }
    Ok(())
}

fn text(meta: &ParseNestedMeta<'_>) -> Result<LitStr> {
    meta.value()?.parse()
}

/// The names in parentheses, if there are any.
fn names(meta: &ParseNestedMeta<'_>) -> Result<Option<Vec<LitStr>>> {
    if !meta.input.peek(token::Paren) {
        return Ok(None);
    }
    let content;
    parenthesized!(content in meta.input);
    let names = Punctuated::<LitStr, Token![,]>::parse_terminated(&content)?;
    Ok(Some(names.into_iter().collect()))
}
