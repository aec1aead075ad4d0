//! Which instances that are not released were made of which images.

use db_kit::{DbResult, Sql, Tx};

/// Records that an instance is made of an image.
pub(crate) async fn note_use(tx: &Tx, image: &str, instance: &str, name: &str) -> DbResult<u64> {
    let sql = "insert into image_uses (instance_id, instance_name, image) values ($1, $2, $3)";
    tx.run(sql, vec![instance.into(), name.into(), image.into()]).await
}

/// An instance is released.
pub(crate) async fn end_use(tx: &Tx, instance: &str) -> DbResult<u64> {
    tx.run("delete from image_uses where instance_id = $1", vec![instance.into()]).await
}

/// The names of the instances of an image, in their order.
pub(super) async fn names_of(db: &impl Sql, image: &str) -> DbResult<Vec<String>> {
    let sql = "select instance_name from image_uses where image = $1 order by instance_name";
    db.column(sql, vec![image.into()]).await
}
