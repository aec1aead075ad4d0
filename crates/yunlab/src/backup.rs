//! `yunlab admin backup` and `restore`: the database and the keys in one file. The files of the
//! network disk are not in it; they are copied by the tools for that.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use db_kit::{Db, Dumped, Import};
use kernel::VERSION;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use tar::{Archive, Builder, Entries, Entry, Header};

use crate::config::Config;
use crate::{data, say};

const FORMAT: u32 = 1;
const MANIFEST: &str = "manifest.json";
const DATABASE: &str = "database.jsonl";
const KEYS: [&str; 2] = portal::KEY_FILES;
/// More than any key is.
const MAX_KEY_BYTES: u64 = 64 * 1024;
/// Fast, and rows of JSON shrink well at any level.
const LEVEL: i32 = 3;

/// What a backup says of itself; its first member.
#[derive(Debug, Serialize, Deserialize)]
struct Manifest {
    format: u32,
    /// The program's.
    version: String,
    /// Milliseconds since 1970.
    created: i64,
    rows: u64,
}

/// One line of the database: a table's row, or the last number that it gave.
#[derive(Serialize, Deserialize)]
struct Line {
    table: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    row: Option<Box<RawValue>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    last: Option<i64>,
}

/// Writes a backup while a server may be running.
pub(crate) async fn backup(config: &Config, to: &Path) -> anyhow::Result<()> {
    let rows = save(config, to).await?;
    say::line(&format!(
        "已备份到 {}：{rows} 行数据和密钥。网盘中的文件不在其中。请妥善保管：其中有密钥。",
        to.display()
    ));
    Ok(())
}

/// Writes a backup; how many rows are in it.
pub(crate) async fn save(config: &Config, to: &Path) -> anyhow::Result<u64> {
    ensure!(config.data_dir.join(KEYS[0]).is_file(), "{} 不是平台的数据目录", config.data_dir.display());
    ensure!(!to.exists(), "{} 已经存在", to.display());
    // Packed afterwards: a member's length stands before it.
    let database = Part::new(to, ".rows")?;
    let db = data::open_database(config).await?;
    let rows = dump(&db, &database.file).await?;
    db.close().await?;
    let manifest = Manifest { format: FORMAT, version: VERSION.to_owned(), created: now(), rows };
    let part = Part::new(to, ".part")?;
    pack(config, &part.file, &manifest, &database.file).context("写入备份")?;
    part.keep(to)?;
    Ok(rows)
}

/// A file beside the backup until that is whole.
struct Part {
    file: File,
    path: PathBuf,
}

impl Part {
    fn new(whole: &Path, ending: &str) -> anyhow::Result<Self> {
        let mut name = whole.file_name().context("没有文件名")?.to_owned();
        name.push(ending);
        let path = whole.with_file_name(name);
        let file = private(&path).with_context(|| format!("建立 {}", path.display()))?;
        Ok(Self { file, path })
    }

    fn keep(self, whole: &Path) -> anyhow::Result<()> {
        self.file.sync_all()?;
        // Not `rename`, which would replace what appeared meanwhile.
        fs::hard_link(&self.path, whole).with_context(|| format!("建立 {}", whole.display()))
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        // What can't be removed is seen beside the backup.
        let _ = fs::remove_file(&self.path);
    }
}

fn private(path: &Path) -> std::io::Result<File> {
    OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(path)
}

fn now() -> i64 {
    kernel::Clock::now(&kernel::SystemClock).as_millis()
}

/// Writes all rows; how many.
async fn dump(db: &Db, to: &File) -> anyhow::Result<u64> {
    let mut rows = 0;
    let mut out = BufWriter::new(to);
    db_kit::export::<anyhow::Error>(db, |part| {
        let line = match part {
            Dumped::Row { table, row } => {
                rows += 1;
                Line { table, row: Some(RawValue::from_string(row)?), last: None }
            }
            Dumped::Counter { table, last } => Line { table, row: None, last: Some(last) },
        };
        serde_json::to_writer(&mut out, &line)?;
        Ok(out.write_all(b"\n")?)
    })
    .await
    .context("读取数据库")?;
    out.flush()?;
    Ok(rows)
}

fn pack(config: &Config, to: &File, manifest: &Manifest, mut database: &File) -> anyhow::Result<()> {
    let mut tar = Builder::new(zstd::Encoder::new(to, LEVEL)?);
    let seconds = u64::try_from(manifest.created / 1000)?;
    let mut add = |name: &str, length: u64, content: &mut dyn Read| {
        let mut header = Header::new_gnu();
        header.set_size(length);
        header.set_mode(0o600);
        header.set_mtime(seconds);
        tar.append_data(&mut header, name, content)
    };
    let text = serde_json::to_vec_pretty(manifest)?;
    add(MANIFEST, text.len() as u64, &mut text.as_slice())?;
    for key in KEYS {
        let key_text = fs::read(config.data_dir.join(key)).with_context(|| format!("读取 {key}"))?;
        add(key, key_text.len() as u64, &mut key_text.as_slice())?;
    }
    let length = database.seek(SeekFrom::End(0))?;
    database.rewind()?;
    add(DATABASE, length, &mut database)?;
    tar.into_inner()?.finish()?;
    Ok(())
}

/// Takes a backup in where nobody has an account yet.
pub(crate) async fn restore(config: &Config, from: &Path) -> anyhow::Result<()> {
    // What is no good makes nothing.
    check(from)?;
    let mut archive = open(from)?;
    data::prepare(&config.data_dir)?;
    let _lock = data::lock(&config.data_dir)?;
    let db = data::open_database(config).await?;
    portal::prepare_database(&db).await?;
    disk::prepare_database(&db).await?;
    ensure!(!portal::has_users(&db).await?, "数据库里已经有账号，只能恢复到空的数据库");
    let mut members = Members(archive.entries().map_err(unreadable)?);
    let manifest = members.manifest()?;
    let mut keys = Keys { dir: &config.data_dir, made: Vec::new() };
    for name in KEYS {
        let mut text = String::new();
        members.next(name)?.take(MAX_KEY_BYTES).read_to_string(&mut text)?;
        keys.put(name, &text)?;
    }
    let rows = BufReader::new(members.next(DATABASE)?);
    // A sign-in that was ended after the backup must not come back.
    take_in(&db, rows, manifest.rows, |table| !portal::SIGNED_IN_TABLES.contains(&table)).await?;
    keys.made.clear();
    say::line(&format!("已恢复 {} 行数据和密钥。所有人需要重新登录。", manifest.rows));
    Ok(())
}

/// Makes sure that a backup can be read from its beginning to its end.
pub(crate) fn check(file: &Path) -> anyhow::Result<()> {
    let mut archive = open(file)?;
    let mut members = Members(archive.entries().map_err(unreadable)?);
    let manifest = members.manifest()?;
    for key in KEYS {
        members.next(key)?;
    }
    let mut rows = 0;
    for line in BufReader::new(members.next(DATABASE)?).lines() {
        let line: Line = serde_json::from_str(&line?).context("备份里的数据")?;
        rows += u64::from(line.row.is_some());
    }
    complete(rows, manifest.rows)
}

fn complete(rows: u64, announced: u64) -> anyhow::Result<()> {
    ensure!(rows == announced, "备份不完整：应有 {announced} 行，只有 {rows} 行");
    Ok(())
}

/// Puts a server's database back to what it was at a backup that this version made, whatever a newer
/// version has made of it since.
pub(crate) async fn put_back(db: &Db, from: &Path) -> anyhow::Result<()> {
    let mut archive = open(from)?;
    let mut members = Members(archive.entries().map_err(unreadable)?);
    let manifest = members.manifest()?;
    for key in KEYS {
        // They are in the data folder as ever.
        members.next(key)?;
    }
    db_kit::clear(db).await?;
    portal::prepare_database(db).await?;
    disk::prepare_database(db).await?;
    take_in(db, BufReader::new(members.next(DATABASE)?), manifest.rows, |_| true).await
}

type Compressed = zstd::Decoder<'static, BufReader<File>>;

fn open(from: &Path) -> anyhow::Result<Archive<Compressed>> {
    let file = File::open(from).with_context(|| format!("打开 {}", from.display()))?;
    Ok(Archive::new(zstd::Decoder::new(file).map_err(unreadable)?))
}

/// What the unpacking libraries say of it helps nobody.
fn unreadable(_: io::Error) -> anyhow::Error {
    anyhow::anyhow!("不是备份文件，或者已损坏")
}

/// A backup's members, each in its turn.
struct Members<'a>(Entries<'a, Compressed>);

impl<'a> Members<'a> {
    fn next(&mut self, name: &str) -> anyhow::Result<Entry<'a, Compressed>> {
        let member = self.0.next().with_context(|| format!("备份里没有 {name}"))?.map_err(unreadable)?;
        ensure!(member.path_bytes() == name.as_bytes(), "备份里没有 {name}");
        Ok(member)
    }

    fn manifest(&mut self) -> anyhow::Result<Manifest> {
        let manifest: Manifest =
            serde_json::from_reader(self.next(MANIFEST)?.take(MAX_KEY_BYTES)).context("备份的说明")?;
        if manifest.format != FORMAT || manifest.version != VERSION {
            bail!("备份来自 {} 版，本程序是 {VERSION} 版：请用相同的版本恢复，之后再升级", manifest.version);
        }
        Ok(manifest)
    }
}

async fn take_in(db: &Db, lines: impl BufRead, announced: u64, wanted: impl Fn(&str) -> bool) -> anyhow::Result<()> {
    let mut import = Import::begin(db).await?;
    let mut rows = 0;
    for line in lines.lines() {
        let Line { table, row, last } = serde_json::from_str(&line?).context("备份里的数据")?;
        rows += u64::from(row.is_some());
        if !wanted(&table) {
            continue;
        }
        let row = row.map(|row| Dumped::Row { table: table.clone(), row: row.get().to_owned() });
        let counter = last.map(|last| Dumped::Counter { table, last });
        for part in row.into_iter().chain(counter) {
            import.take(part).await.context("备份里的数据")?;
        }
    }
    complete(rows, announced)?;
    Ok(import.commit().await?)
}

/// Keys that were put into the data folder, and are taken out again when the rest fails.
struct Keys<'a> {
    dir: &'a Path,
    made: Vec<PathBuf>,
}

impl Keys<'_> {
    /// Those that are there already must be the same.
    fn put(&mut self, name: &str, text: &str) -> anyhow::Result<()> {
        let path = self.dir.join(name);
        if path.exists() {
            ensure!(fs::read_to_string(&path)? == text, "{} 里已经有另一个 {name}", self.dir.display());
            return Ok(());
        }
        private(&path)?.write_all(text.as_bytes())?;
        self.made.push(path);
        Ok(())
    }
}

impl Drop for Keys<'_> {
    fn drop(&mut self) {
        for path in &self.made {
            // A second try finds the same key there.
            let _ = fs::remove_file(path);
        }
    }
}
