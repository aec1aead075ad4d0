//! The implementations that a struct gets.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::{
    Data, DataStruct, DeriveInput, Error, Fields, GenericArgument, Ident, LitStr, PathArguments, Result, Type,
    spanned::Spanned,
};

use crate::attributes::{FieldAttributes, Form, Written, of_field, of_struct};

/// A field with its column.
struct Field<'a> {
    ident: &'a Ident,
    /// Its type, or what is in its `Option`.
    inner: &'a Type,
    optional: bool,
    column: LitStr,
    attributes: FieldAttributes,
}

/// All implementations of a struct.
pub(crate) fn record(input: &DeriveInput) -> Result<TokenStream> {
    let of = of_struct(&input.attrs)?;
    let fields = fields(input)?;
    let is_limited = |field: &&Field<'_>| matches!(field.written(), Written::Inserted | Written::Never);
    if let (None, Some(field)) = (&of.table, fields.iter().find(is_limited)) {
        return Err(Error::new(field.ident.span(), "only a table has fields that are not always written"));
    }
    let name = &input.ident;
    let place = of.table.clone().unwrap_or_else(|| LitStr::new(&name.to_string(), name.span()));
    // Without a table, nothing identifies a row.
    let key = if of.table.is_some() { of.key.as_slice() } else { &[] };
    let columns = columns(name, &fields);
    let more = match &of.table {
        Some(table) => table_record(name, table, &of.key, &fields),
        None => nullable(name, &fields),
    };
    Ok(quote! {
        #columns
        #more

        #[automatically_derived]
        impl ::db_kit::FromQueryResult for #name {
            fn from_query_result(
                row: &::db_kit::record::QueryResult,
                _prefix: &str,
            ) -> ::core::result::Result<Self, ::db_kit::record::DbErr> {
                ::db_kit::record::read(row, #place, &[#(#key),*])
            }
        }
    })
}

fn fields(input: &DeriveInput) -> Result<Vec<Field<'_>>> {
    let Data::Struct(DataStruct { fields: Fields::Named(named), .. }) = &input.data else {
        return Err(Error::new(input.ident.span(), "a row is a struct with named fields"));
    };
    if !input.generics.params.is_empty() {
        return Err(Error::new(input.generics.span(), "a row has no generics"));
    }
    let mut fields = Vec::with_capacity(named.named.len());
    for field in &named.named {
        let Some(ident) = &field.ident else { continue };
        let attributes = of_field(&field.attrs)?;
        let name = ident.to_string();
        let own = || LitStr::new(name.strip_prefix("r#").unwrap_or(&name), ident.span());
        let column = attributes.column.clone().unwrap_or_else(own);
        let is_json = matches!(
            (&attributes.form, attributes.written),
            (Form::Json, Written::Always | Written::Inserted | Written::Never)
        );
        if attributes.default && !is_json {
            return Err(Error::new(ident.span(), "only a JSON column has a default"));
        }
        let (inner, optional) = within_option(&field.ty).map_or((&field.ty, false), |inner| (inner, true));
        fields.push(Field { ident, inner, optional, column, attributes });
    }
    Ok(fields)
}

/// The type in an `Option`.
fn within_option(of: &Type) -> Option<&Type> {
    let Type::Path(path) = of else { return None };
    let last = path.path.segments.last().filter(|last| last.ident == "Option")?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
    match arguments.args.first()? {
        GenericArgument::Type(inner) => Some(inner),
        _ => None,
    }
}

impl Field<'_> {
    fn written(&self) -> Written {
        self.attributes.written
    }

    /// Whether it has columns among those of its struct.
    fn is_listed(&self) -> bool {
        !matches!(self.attributes.form, Form::Skip) && self.written() != Written::Computed
    }

    /// Its names, as a slice.
    fn names(&self) -> TokenStream {
        let inner = self.inner;
        match &self.attributes.form {
            Form::Columns(None) => quote!(<#inner as ::db_kit::record::Columns>::NAMES),
            Form::Columns(Some(names)) => {
                let wrong = "as many names as the struct has columns";
                let count = names.len();
                quote_spanned! { self.ident.span() => {
                    const _: () = assert!(<#inner as ::db_kit::record::Columns>::NAMES.len() == #count, #wrong);
                    &[#(#names),*]
                } }
            }
            _ => {
                let column = &self.column;
                quote!(&[#column])
            }
        }
    }

    /// How each of its columns is written, as a slice.
    fn write_rule(&self) -> TokenStream {
        let rule = match self.written() {
            Written::Inserted => quote!(Inserted),
            Written::Never => quote!(Never),
            Written::Always | Written::Computed => quote!(Always),
        };
        let inner = self.inner;
        let count = match &self.attributes.form {
            Form::Columns(_) => quote!(<#inner as ::db_kit::record::Columns>::NAMES.len()),
            _ => quote!(1),
        };
        quote!(&[::db_kit::record::Written::#rule; #count])
    }

    /// The method of a reader and of a writer.
    fn method(&self) -> Option<Ident> {
        let name = match (&self.attributes.form, self.optional) {
            (Form::Column, _) => "column",
            (Form::Word, false) => "word",
            (Form::Word, true) => "optional_word",
            (Form::Json, false) => "json",
            (Form::Json, true) => "optional_json",
            (Form::Columns(_), false) => "columns",
            (Form::Columns(_), true) => "optional_columns",
            (Form::Skip, _) => return None,
        };
        Some(Ident::new(name, self.ident.span()))
    }

    /// The type that the database has of its one column.
    fn stored(&self) -> TokenStream {
        let inner = self.inner;
        match self.attributes.form {
            Form::Column => quote!(<#inner as ::db_kit::record::Column>::Stored),
            _ => quote!(::std::string::String),
        }
    }

    /// Its value out of a row.
    fn read(&self) -> TokenStream {
        let ident = self.ident;
        match self.method() {
            None => quote!(#ident: ::core::default::Default::default()),
            Some(_) if self.attributes.default => quote!(#ident: reader.optional_json()?.unwrap_or_default()),
            Some(method) if self.written() == Written::Computed => {
                let names = self.names();
                quote!(#ident: reader.named(#names).#method()?)
            }
            Some(method) => quote!(#ident: reader.#method()?),
        }
    }

    /// Its values into a row.
    fn write(&self) -> Option<TokenStream> {
        let (ident, method) = (self.ident, self.method()?);
        let fails = !matches!(self.attributes.form, Form::Column | Form::Word);
        let question = fails.then(|| quote!(?));
        self.is_listed().then(|| quote!(writer.#method(&self.#ident)#question;))
    }
}

/// The list of the columns, reading and writing.
fn columns(name: &Ident, fields: &[Field<'_>]) -> TokenStream {
    let names = flattened(&quote!(&'static str), &quote!(""), fields, Field::names);
    let reads = fields.iter().map(Field::read);
    let writes = fields.iter().filter_map(Field::write);
    quote! {
        #[automatically_derived]
        impl ::db_kit::record::Columns for #name {
            const NAMES: &'static [&'static str] = #names;

            fn read(
                reader: &mut ::db_kit::record::Reader<'_>,
            ) -> ::core::result::Result<Self, ::db_kit::record::DbErr> {
                ::core::result::Result::Ok(Self { #(#reads),* })
            }

            fn write(
                &self,
                writer: &mut ::db_kit::record::Writer,
            ) -> ::core::result::Result<(), ::db_kit::record::DbErr> {
                #(#writes)*
                ::core::result::Result::Ok(())
            }
        }
    }
}

/// The slices of all columns, one after the other.
fn flattened<'a>(
    of: &TokenStream,
    fill: &TokenStream,
    fields: &[Field<'a>],
    part: impl Fn(&Field<'a>) -> TokenStream,
) -> TokenStream {
    let parts = fields.iter().filter(|field| field.is_listed()).map(part);
    quote! { {
        const PARTS: &[&[#of]] = &[#(#parts),*];
        const ALL: [#of; ::db_kit::record::count(PARTS)] = ::db_kit::record::join(PARTS, #fill);
        &ALL
    } }
}

fn table_record(name: &Ident, table: &LitStr, key: &[String], fields: &[Field<'_>]) -> TokenStream {
    let always = quote!(::db_kit::record::Written::Always);
    let written = flattened(&quote!(::db_kit::record::Written), &always, fields, Field::write_rule);
    quote! {
        #[automatically_derived]
        impl ::db_kit::record::Record for #name {
            const TABLE: &'static str = #table;
            const KEY: &'static [&'static str] = &[#(#key),*];
            const WRITTEN: &'static [::db_kit::record::Written] = #written;
        }
    }
}

/// What there is instead of an absent struct: its first column null, the others empty. Nothing for a struct whose first
/// column may be null anyway.
fn nullable(name: &Ident, fields: &[Field<'_>]) -> TokenStream {
    let listed: Vec<&Field<'_>> = fields.iter().filter(|field| field.is_listed()).collect();
    let Some((first, others)) = listed.split_first() else { return TokenStream::new() };
    let nested = |field: &&Field<'_>| matches!(field.attributes.form, Form::Columns(_));
    if first.optional || listed.iter().any(nested) {
        return TokenStream::new();
    }
    let key = first.stored();
    let empty = others.iter().map(|field| {
        let stored = field.stored();
        match (&field.attributes.form, field.optional) {
            (Form::Column, false) => quote!(writer.empty::<#stored>();),
            _ => quote!(writer.null::<#stored>();),
        }
    });
    quote! {
        #[automatically_derived]
        impl ::db_kit::record::NullableColumns for #name {
            fn is_absent(
                reader: &::db_kit::record::Reader<'_>,
            ) -> ::core::result::Result<bool, ::db_kit::record::DbErr> {
                reader.is_null::<#key>()
            }

            fn write_absent(writer: &mut ::db_kit::record::Writer) {
                writer.null::<#key>();
                #(#empty)*
            }
        }
    }
}
