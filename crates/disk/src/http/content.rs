//! The bytes of a file, as the document calls them.

use utoipa::openapi::{KnownFormat, ObjectBuilder, RefOr, Schema, SchemaFormat, schema::Type};
use utoipa::{PartialSchema, ToSchema};

/// Any bytes; only for the document.
pub(crate) struct Content;

impl PartialSchema for Content {
    fn schema() -> RefOr<Schema> {
        let format = SchemaFormat::KnownFormat(KnownFormat::Binary);
        ObjectBuilder::new()
            .schema_type(Type::String)
            .format(Some(format))
            .description(Some("The bytes of a file."))
            .into()
    }
}

impl ToSchema for Content {}
