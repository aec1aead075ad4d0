//! Reading a backup, from its beginning to its end.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use anyhow::{Context, bail, ensure};
use db_kit::{Db, Dumped, Import};
use kernel::VERSION;
use tar::{Archive, Entries, Entry};

use super::{DATABASE, FORMAT, KEYS, Key, Line, MANIFEST, MAX_KEY_BYTES, Manifest, key};

type Content = zstd::Decoder<'static, BufReader<Box<dyn Read + Send>>>;

/// A backup that is open.
pub(super) struct Opened(Archive<Content>);

impl Opened {
    /// Opens a backup; an encrypted one with its key.
    pub(super) fn open(from: &Path, key: Option<&Key>) -> anyhow::Result<Self> {
        let opening = || format!("打开 {}", from.display());
        let file = File::open(from).with_context(opening)?;
        let content: Box<dyn Read + Send> = match (key::is_encrypted(from).with_context(opening)?, key) {
            (false, _) => Box::new(file),
            (true, Some(key)) => key::decrypt(file, key)?,
            (true, None) => bail!("备份是加密的，请用 --key 给出密钥文件"),
        };
        Ok(Self(Archive::new(zstd::Decoder::new(content).map_err(unreadable)?)))
    }

    pub(super) fn members(&mut self) -> anyhow::Result<Members<'_>> {
        Ok(Members(self.0.entries().map_err(unreadable)?))
    }

    /// Reads the rest: only the end proves that nothing is missing or changed.
    pub(super) fn end(self) -> anyhow::Result<()> {
        io::copy(&mut self.0.into_inner(), &mut io::sink()).map(drop).map_err(unreadable)
    }
}

/// The errors of the decompression libraries are of no use to readers.
pub(super) fn unreadable(_: io::Error) -> anyhow::Error {
    anyhow::anyhow!("不是备份文件，或者已损坏")
}

/// A backup's members, each in its turn.
pub(super) struct Members<'a>(Entries<'a, Content>);

impl<'a> Members<'a> {
    fn next(&mut self, name: &str) -> anyhow::Result<Entry<'a, Content>> {
        let member = self.0.next().with_context(|| format!("备份里没有 {name}"))?.map_err(unreadable)?;
        ensure!(member.path_bytes() == name.as_bytes(), "备份里没有 {name}");
        Ok(member)
    }

    pub(super) fn manifest(&mut self) -> anyhow::Result<Manifest> {
        let manifest: Manifest =
            serde_json::from_reader(self.next(MANIFEST)?.take(MAX_KEY_BYTES)).context("备份的说明")?;
        if manifest.format != FORMAT || manifest.version != VERSION {
            bail!("备份来自 {} 版，本程序是 {VERSION} 版：请用相同的版本恢复，之后再升级", manifest.version);
        }
        Ok(manifest)
    }

    /// The text of a key.
    pub(super) fn key(&mut self, name: &str) -> anyhow::Result<String> {
        let mut text = String::new();
        self.next(name)?.take(MAX_KEY_BYTES).read_to_string(&mut text).map_err(unreadable)?;
        Ok(text)
    }

    /// Passes over the keys.
    pub(super) fn pass_keys(&mut self) -> anyhow::Result<()> {
        for name in KEYS {
            ensure!(!self.key(name)?.is_empty(), "备份里的 {name} 是空的");
        }
        Ok(())
    }

    pub(super) fn rows(&mut self) -> anyhow::Result<impl BufRead + use<'a>> {
        Ok(BufReader::new(self.next(DATABASE)?))
    }
}

fn lines(rows: impl BufRead) -> impl Iterator<Item = anyhow::Result<Line>> {
    rows.lines().map(|line| serde_json::from_str(&line.map_err(unreadable)?).context("备份里的数据"))
}

fn complete(rows: u64, announced: u64) -> anyhow::Result<()> {
    ensure!(rows == announced, "备份不完整：应有 {announced} 行，只有 {rows} 行");
    Ok(())
}

/// Makes sure that a backup can be read from its beginning to its end.
pub(crate) fn check(file: &Path, key: Option<&Key>) -> anyhow::Result<()> {
    let mut opened = Opened::open(file, key)?;
    let mut members = opened.members()?;
    let manifest = members.manifest()?;
    members.pass_keys()?;
    let mut rows = 0;
    for line in lines(members.rows()?) {
        rows += u64::from(line?.row.is_some());
    }
    complete(rows, manifest.rows)?;
    opened.end()
}

/// Restores a server's database from a backup of this version, whatever a newer version has changed since.
pub(crate) async fn put_back(db: &Db, from: &Path) -> anyhow::Result<()> {
    let mut opened = Opened::open(from, None)?;
    let mut members = opened.members()?;
    let manifest = members.manifest()?;
    // They are in the data folder as ever.
    members.pass_keys()?;
    db_kit::clear(db).await?;
    prepare(db).await?;
    take_in(db, members.rows()?, manifest.rows, |_| true).await.map(drop)
}

/// Makes the tables of portal and disk.
pub(super) async fn prepare(db: &Db) -> anyhow::Result<()> {
    portal::prepare_database(db).await?;
    disk::prepare_database(db).await
}

/// Imports rows into a database whose tables exist; returns the number of rows of each table.
pub(super) async fn take_in(
    db: &Db,
    rows: impl BufRead,
    announced: u64,
    wanted: impl Fn(&str) -> bool,
) -> anyhow::Result<BTreeMap<String, i64>> {
    let mut import = Import::begin(db).await?;
    let (mut all, mut taken) = (0, BTreeMap::new());
    for line in lines(rows) {
        let Line { table, row, last } = line?;
        all += u64::from(row.is_some());
        if !wanted(&table) {
            continue;
        }
        *taken.entry(table.clone()).or_default() += i64::from(row.is_some());
        let row = row.map(|row| Dumped::Row { table: table.clone(), row: row.get().to_owned() });
        let counter = last.map(|last| Dumped::Counter { table, last });
        for part in row.into_iter().chain(counter) {
            import.take(part).await.context("备份里的数据")?;
        }
    }
    complete(all, announced)?;
    import.commit().await?;
    Ok(taken)
}
