//! A server on what a power cut left: it must start, and everything acknowledged must be there.

use std::fs;
use std::path::Path;

use sqlx::{Connection, SqliteConnection, query_scalar};
use tests::{Server, Setup};

use super::load::Load;
use super::machine::{Kind, Mount};
use super::site::Site;
use super::uploads;

/// Everything that is wrong with an image of the disk at this point.
pub(super) async fn examine(load: &Load, kind: Kind, point: usize, image: &Path) -> Vec<String> {
    let setup = Setup::new();
    let mount = match Mount::new(image, &setup.data_dir(), false) {
        Ok(mount) => mount,
        Err(error) => return vec![error],
    };
    uploads::of_another_boot(&setup.data_dir().join("disk/.yunlab/tus"));
    let mut server = Server::start(setup).await;
    let everybody = point >= load.ready;
    let site = Site::left(&server, everybody).await;
    let mut faults = unfinished(&site);
    if everybody {
        for (writer, ledger) in &load.writers {
            faults.extend(ledger.judge(point, &writer.look(&site).await).err());
        }
        for upload in &load.uploads {
            faults.extend(uploads::judge(upload, &site, point).await.err());
        }
    }
    server.kill_hard();
    faults.extend(database(&server).await);
    if server.log().contains("panicked") {
        faults.push(server.last_of_log());
    }
    drop(server);
    mount.end().await;
    // Checks that the disk itself is not at fault.
    faults.extend(kind.examine(image).err());
    faults
}

/// Files that were not in place yet are gone after a start, and no others have appeared.
fn unfinished(site: &Site) -> Vec<String> {
    let names = |path: &str| -> Vec<String> {
        let entries = fs::read_dir(site.real(path)).into_iter().flatten().flatten();
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
    };
    let left = [".yunlab/uploads", ".yunlab/removing"].map(|path| (path, names(path)));
    let strange = [
        ("", [".yunlab", "datasets", "groups", "home", "share"].as_slice()),
        ("share", &["work"]),
        ("home", &["admin", "files0", "files1", "keys", "links", "orders", "uploads"]),
        ("home/files0", &["work"]),
        ("home/links", &["l0", "l1", "l2"]),
    ];
    let strange = strange.into_iter().map(|(path, expected)| {
        (path, names(path).into_iter().filter(|name| !expected.contains(&name.as_str())).collect())
    });
    let all = left.into_iter().chain(strange).filter(|(_, names)| !names.is_empty());
    all.map(|(path, names)| format!("in {path:?} there is {names:?}")).collect()
}

async fn database(server: &Server) -> Vec<String> {
    let url = server.setup().database_url();
    let mut connection = SqliteConnection::connect(&url).await.expect("the database opens");
    let said: Vec<String> =
        query_scalar("pragma integrity_check").fetch_all(&mut connection).await.expect("it is checked");
    let strays = sqlx::query("pragma foreign_key_check").fetch_all(&mut connection).await.expect("it is checked");
    connection.close().await.expect("it closes");
    let mut faults: Vec<String> = said.into_iter().filter(|line| line != "ok").collect();
    if !strays.is_empty() {
        faults.push(format!("{} rows refer to what is not there", strays.len()));
    }
    faults
}
