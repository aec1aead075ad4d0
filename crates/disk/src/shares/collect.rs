//! `/api/public/collect`: files that strangers send to a folder whose content they do not see.
//!
//! A name that is taken gets a number, which the answer does not contain, so that a stranger cannot find out which names
//! exist, and no file is overwritten. The owner's quotas, rules and rights hold as for the owner's own uploads, and the
//! link's limits hold for all visitors together: room is promised before a byte is read, and counted in the database
//! before the file gets its place.

use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::body::Body;
use axum::extract::State;
use axum::response::Response;
use db_kit::Db;
use disk_core::error::{DiskError, DiskResult};
use disk_core::incoming::Announced;
use disk_core::jail::{Entry, Meta, VirtualPath};
use disk_core::reason::Reason;
use futures_util::StreamExt;
use http::HeaderMap;
use http_kit::{ClientAddress, Routes, routes, time_for_body};
use kernel::{Clock, DiskAction};
use tokio::runtime::Handle;
use tokio::time::timeout;

use super::http::named;
use super::model::{Identity, Share};
use super::policy::Visit;
use super::promises::Promise;
use super::public::{EntryQuery, Link, Visitor, enter};
use super::store;
use super::visits::Visiting;
use crate::host::Host;
use crate::http::{Content, HttpResult, Member, STRANGERS_BYTES, done, drain, subtree};
use crate::intake::{Intake, UploadKind, announcement};
use crate::trail;

pub(super) fn routes() -> Routes<Host> {
    subtree("/api/public/collect", routes!(collect))
}

/// 向收集链接上传文件
///
/// Stores the body as a file in the folder of a link that takes files, under another name if this one is taken. The
/// answer does not contain that name.
#[utoipa::path(
    post, path = "/api/public/collect/{path}", tag = "public", operation_id = "collectFile", security(()),
    params(
        ("path" = String, Path, description = "the link's hash and the file's name"), EntryQuery,
        ("X-SHARE-PASSWORD" = Option<String>, Header, description = "percent-encoded"),
        ("X-Modified" = Option<f64>, Header, description = "when the content was last changed, seconds since 1970"),
    ),
    request_body(content = Option<Content>, content_type = "application/octet-stream"),
    responses(
        (status = 200, description = "stored", body = String, content_type = "text/plain"),
        (status = 400, description = "not the name of a file, or without a length"),
        (status = 401, description = "the password is missing or wrong"),
        (status = 404, description = "no such link, expired, or it takes no files"),
        (status = 409, description = "the link takes no more"),
        (status = 413, description = "more than announced"),
        (status = 423, description = "somebody has the folder locked over WebDAV"),
        (status = 429, description = "too many files at once, or too many passwords tried"),
        (status = 507, description = "the owner has no room for it"),
    )
)]
async fn collect(
    State(host): State<Host>,
    link: HttpResult<Link>,
    visitor: HttpResult<Visitor>,
    headers: HeaderMap,
    body: Body,
) -> HttpResult<Response> {
    let admitted = async {
        let (link, visitor) = (link?, visitor?);
        Ok(Upload::admit(&host, link, visitor, &headers).await?)
    };
    let upload = match admitted.await {
        Ok(upload) => upload,
        Err(refused) => {
            drain(&headers, body, STRANGERS_BYTES).await;
            return Err(refused);
        }
    };
    upload.receive(&host, &headers, body).await.map_err(for_strangers)?;
    Ok(done())
}

/// One file on its way in.
struct Upload {
    share: Share,
    owner: Member,
    address: ClientAddress,
    name: String,
    /// Its length in bytes.
    length: u64,
    announced: Announced,
    intake: Intake,
    promise: Promise,
}

impl Upload {
    /// Refuses what can be refused before the content comes.
    async fn admit(host: &Host, link: Link, visitor: Visitor, headers: &HeaderMap) -> DiskResult<Self> {
        let Link { hash, below } = link;
        let address = visitor.address;
        let (share, _) = enter(host, &hash, visitor).await?;
        let limits = share.collection.ok_or(DiskError::NotFound)?;
        host.shares.limits.check_upload(&hash, address.0)?;
        let owner = Visit::open(host, &share).await?.member;
        let name = file_name(&below)?.to_owned();
        let announced = announcement(headers)?;
        let length = announced.length.ok_or_else(|| DiskError::bad_request(Reason::LengthMissing))?;
        let promise = host.shares.promises.make(&hash, address.0, length, &limits)?;
        let path = VirtualPath::default().join(&name);
        let intake = Intake::admit(host, &owner, &path, UploadKind::Collected).await.map_err(for_strangers)?;
        Ok(Self { share, owner, address, name, length, announced, intake, promise })
    }

    async fn receive(self, host: &Host, headers: &HeaderMap, body: Body) -> DiskResult<()> {
        let Self { share, owner, address, name, length, announced, intake, promise } = self;
        let bytes = i64::try_from(length).map_err(DiskError::internal)?;
        let counted = Arc::new(AtomicBool::new(false));
        let counting = Counting {
            db: host.db.clone(),
            clock: Arc::clone(&host.clock),
            hash: share.hash.clone(),
            folder: share.identity.clone(),
            bytes,
            promise,
            counted: Arc::clone(&counted),
        };
        // A body that drips holds its promise no longer than a slow line needs.
        let late = Box::pin(timeout(time_for_body(headers), pending::<()>()));
        let in_time = body.into_data_stream().take_until(late);
        let content = (headers, Body::from_stream(in_time));
        let stored =
            intake.receive_prepared(announced, content, STRANGERS_BYTES, move |entry| counting.count(entry)).await;
        if let Err(refused) = stored {
            if counted.load(Ordering::Relaxed) {
                store::give_back(&host.db, &share.hash, bytes).await?;
            }
            return Err(refused);
        }
        let now = host.clock.now();
        host.shares.visits.count(&host.db, (share.hash.as_str(), address.0), Visiting::Upload, now).await?;
        let detail = format!("{name}，{length} 字节");
        trail::note(host, &owner, address, (DiskAction::ShareCollect, named(&share)), detail).await;
        Ok(())
    }
}

/// The link's limits, at the moment before the file gets its place.
struct Counting {
    db: Db,
    clock: Arc<dyn Clock>,
    hash: String,
    /// The folder that was shared.
    folder: Identity,
    bytes: i64,
    promise: Promise,
    counted: Arc<AtomicBool>,
}

impl Counting {
    /// Counts the file. 404 when another folder has taken the place of the shared one, 409 when the link is full or has
    /// ended meanwhile. Blocks.
    fn count(self, entry: &Entry) -> DiskResult<()> {
        if !self.folder.is(&Identity::of(&Meta::of(&entry.folder)?)) {
            return Err(DiskError::NotFound);
        }
        let now = self.clock.now();
        if !Handle::current().block_on(store::take(&self.db, &self.hash, self.bytes, now))? {
            return Err(DiskError::conflict(Reason::LinkFull));
        }
        self.counted.store(true, Ordering::Relaxed);
        drop(self.promise);
        Ok(())
    }
}

/// The name of a file right in the folder. Names that programs give a meaning to (`.bashrc`), that a terminal does, or
/// that look like another one are not taken from strangers.
fn file_name(below: &VirtualPath) -> DiskResult<&str> {
    let unfit = || DiskError::bad_request(Reason::FilenameUnfit);
    let [name] = below.names() else { return Err(unfit()) };
    let misleading = |letter: char| {
        letter.is_control()
            || matches!(letter, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
    };
    let fits = !below.is_folder() && !name.starts_with('.') && name.trim() == name && !name.contains(misleading);
    if fits { Ok(name) } else { Err(unfit()) }
}

/// Hides from strangers which limit the owner has reached, and which names rules deny.
fn for_strangers(error: DiskError) -> DiskError {
    match error {
        DiskError::InsufficientStorage(_) => DiskError::InsufficientStorage(Reason::NoRoom),
        // A rule denies the name.
        DiskError::Forbidden => DiskError::bad_request(Reason::FilenameUnfit),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_strangers_are_plain_names_of_files() {
        let fits = |path: &str| VirtualPath::from_decoded(path).is_ok_and(|path| file_name(&path).is_ok());
        for good in ["/a", "/论文 终稿.pdf", "/a.tar.gz", "/-rf", "/$(id)", "/a\\b", "/😀", "/👩\u{200d}🔬.png"]
        {
            assert!(fits(good), "{good:?}");
        }
        let bad = [
            "/",
            "/a/",
            "/a/b",
            "/..",
            "/.bashrc",
            "/.yunlab",
            "/ a",
            "/a ",
            "/a\n",
            "/a\u{1b}[2J",
            "/a\u{85}b",
            "/\u{3000}a",
            "/gpj.\u{202e}exe.txt",
            "/a\u{2066}b",
            "/\u{feff}a",
            "/a\u{2028}b",
        ];
        for bad in bad {
            assert!(!fits(bad), "{bad:?}");
        }
    }
}
