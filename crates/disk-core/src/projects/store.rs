//! Which spaces have a project.

use std::ffi::OsString;

use db_kit::{Db, DbResult, FromQueryResult, Sql};

use super::Project;
use crate::space::Space;

#[derive(Debug, FromQueryResult)]
struct Row {
    space: String,
    project: i64,
    tagged: bool,
}

fn text(space: &Space) -> String {
    let names: Vec<String> = space.names().iter().map(|name| name.to_string_lossy().into_owned()).collect();
    names.join("/")
}

/// All rows that this version can read. The disk starts without the others, which a later version left that was rolled
/// back: their files keep the project, and the kernel its limit.
pub(super) async fn all(db: &Db) -> DbResult<Vec<(Space, Project)>> {
    let rows: Vec<Row> = db.all("select space, project, tagged from disk_projects", vec![]).await?;
    let known = rows.into_iter().filter_map(|row| {
        let names: Vec<OsString> = row.space.split('/').map(OsString::from).collect();
        let (space, number) = (Space::rooted_at(&names), u32::try_from(row.project));
        let read = space.zip(number.ok()).map(|(space, number)| (space, Project { number, tagged: row.tagged }));
        if read.is_none() {
            tracing::error!(space = row.space, project = row.project, "the project of a space cannot be read");
        }
        read
    });
    Ok(known.collect())
}

pub(super) async fn put(db: &Db, space: &Space, project: Project) -> DbResult<()> {
    let tx = db.begin().await?;
    let sql = "insert into disk_projects (space, project, tagged) values ($1, $2, $3) \
        on conflict (space) do update set project = excluded.project, tagged = excluded.tagged";
    let values = vec![text(space).into(), i64::from(project.number).into(), project.tagged.into()];
    tx.run(sql, values).await?;
    tx.commit().await
}
