//! The response for one file.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::unix::fs::FileExt;

use axum::response::{IntoResponse, Response};
use disk_core::error::DiskResult;
use disk_core::jail::{Found, Jail, Kind, Location, VirtualPath, names_in};
use disk_core::view::Place;
use http::{HeaderMap, HeaderValue, StatusCode, header};
use tokio_util::sync::CancellationToken;

use super::checksum::Checksum;
use super::get::{LookQuery, Purpose, ready, streamed, write};
use super::kind::{ResourceType, SNIFFED_BYTES, by_name, of_beginning};
use super::model::{Item, Resource, Shown};
use super::natural;
use super::text::{Text, TextFile};
use crate::http::{Member, Validators};
use crate::permissions::require;
use crate::{raw, subtitles};

/// A longer text is sent while it is read.
const LONG_BYTES: u64 = 256 * 1024;

/// A file or special file that a person reads.
pub(super) struct Looked<'a> {
    pub(super) jail: &'a Jail,
    pub(super) member: &'a Member,
    pub(super) path: &'a VirtualPath,
    pub(super) location: &'a Location,
    pub(super) found: Found,
    /// Cancelled when the request was dropped.
    pub(super) gone: &'a CancellationToken,
}

impl Looked<'_> {
    pub(super) fn answer(
        &self,
        query: &LookQuery,
        checksum: Option<Checksum>,
        headers: &HeaderMap,
        shown: Shown,
    ) -> DiskResult<Response> {
        if checksum.is_some() {
            require(self.member.may.download)?;
        }
        let item = self.item()?;
        let is_text = matches!(item.kind, ResourceType::Text | ResourceType::TextImmutable);
        if is_text && headers.get("x-encoding").is_some_and(|value| value == "true") {
            return self.bytes(headers);
        }
        let validators = Validators::of(&self.found.meta);
        let mut response = if validators.is_known(headers) {
            StatusCode::NOT_MODIFIED.into_response()
        } else {
            self.described(item, is_text, query, checksum, shown)?
        };
        validators.write(response.headers_mut());
        Ok(response)
    }

    fn described(
        &self,
        item: Item,
        is_text: bool,
        query: &LookQuery,
        checksum: Option<Checksum>,
        shown: Shown,
    ) -> DiskResult<Response> {
        let subtitles = if item.kind == ResourceType::Video { self.subtitles()? } else { Vec::new() };
        let plain = Resource { subtitles, ..Resource::new(item) }.shown(shown);
        if let Some(checksum) = checksum {
            let digest = checksum.of(&self.jail.read_file(&self.found)?, self.gone)?;
            return ready(&Resource { checksums: Some(BTreeMap::from([(checksum, digest)])), ..plain });
        }
        let wants_content = is_text && self.member.may.download && query.kind != Some(Purpose::Listing);
        let text = if wants_content { TextFile::new(self.jail.read_file(&self.found)?)? } else { None };
        let Some(text) = text else { return ready(&plain) };
        let (item, token) = (plain.item, plain.token);
        if self.found.meta.size > LONG_BYTES {
            return Ok(streamed(self.member.reader(), move |out| {
                write(out, &with_text(item, token, &text))?;
                Ok(text.failure()?)
            }));
        }
        let response = ready(&with_text(item, token, &text))?;
        text.failure()?;
        Ok(response)
    }

    /// A text as its bytes.
    fn bytes(&self, headers: &HeaderMap) -> DiskResult<Response> {
        require(self.member.may.download)?;
        let source = raw::Source::new(self.jail.read_file(&self.found)?, self.found.meta.clone());
        let mut response = raw::answer(source, self.path.name(), false, headers)?;
        if response.status() == StatusCode::OK {
            let bytes = HeaderValue::from_static("application/octet-stream");
            response.headers_mut().insert(header::CONTENT_TYPE, bytes);
        }
        Ok(response)
    }

    fn item(&self) -> DiskResult<Item> {
        let (path, location, seen) = (self.path, self.location, &self.found.meta);
        let own = match location.name() {
            Some(_) => self.jail.entry(location)?.meta()?.filter(|own| own.kind == Kind::Link),
            None => None,
        };
        let mut item = match own {
            Some(link) => Item::new(path, &link, Some(seen)),
            None => Item::new(path, seen, None),
        };
        if seen.kind == Kind::File && by_name(path.name(), seen.size).is_none() {
            item.kind = self.sniff()?;
        }
        if item.kind == ResourceType::Text && !(self.member.may.modify && location.writable) {
            item.kind = ResourceType::TextImmutable;
        }
        Ok(item)
    }

    fn sniff(&self) -> DiskResult<ResourceType> {
        let mut bytes = [0; SNIFFED_BYTES];
        let read = self.jail.read_file(&self.found)?.read_at(&mut bytes, 0)?;
        Ok(of_beginning(&bytes[..read], self.found.meta.size))
    }

    /// Subtitles beside a film, by name.
    fn subtitles(&self) -> DiskResult<Vec<String>> {
        let entry = self.jail.entry(self.location)?;
        let fits = |name: &OsString| {
            name.to_str().is_some_and(|name| subtitles::belongs_to(name, self.path.name()))
                && self.location.access.allows_in(&entry.folder_names, name)
        };
        let mut names: Vec<_> = names_in(&entry.folder)?.into_iter().filter(fits).collect();
        names.sort_by_cached_key(|name| {
            let mut key = Vec::new();
            natural::write_key(&name.to_string_lossy(), &mut key);
            key
        });
        let folder = self.path.parent();
        let paths = names.iter().filter_map(|name| Some(folder.join(name.to_str()?)));
        // Beside a file that is shared alone a visitor sees nothing.
        let seen = paths.filter(|path| matches!(self.member.view.place(path), Place::At(_)));
        Ok(seen.map(|path| path.to_string()).collect())
    }
}

fn with_text(item: Item, token: Option<String>, text: &TextFile) -> Resource<'_> {
    Resource { content: Some(Text(text)), encoding: Some(text.encoding.name()), token, ..Resource::new(item) }
}
