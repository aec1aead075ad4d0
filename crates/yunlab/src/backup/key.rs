//! The key of encrypted backups: an identity of age (age-encryption.org), so that its own tool opens them too.

use std::fmt;
use std::fs::{self, File};
use std::io::{BufReader, Read, Write};
use std::path::Path;

use age::secrecy::ExposeSecret;
use age::x25519::Identity;
use age::{DecryptError, Decryptor, Encryptor};
use anyhow::{Context, anyhow};

use super::writing::private;

/// The beginning of an encrypted file.
const INTRODUCTION: &[u8] = b"age-encryption.org/";

/// A key with which backups are encrypted and decrypted.
pub(crate) struct Key(Identity);

impl Key {
    /// Reads the first identity of a file as `age-keygen` writes it.
    pub(crate) fn read(path: &Path) -> anyhow::Result<Self> {
        let bytes = fs::read(path).with_context(|| format!("读取密钥 {}", path.display()))?;
        let text = String::from_utf8_lossy(&bytes);
        let line = text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('#'));
        let identity = line.and_then(|line| line.parse().ok());
        identity.map(Self).with_context(|| format!("{} 里没有 AGE-SECRET-KEY-1… 形式的密钥", path.display()))
    }

    /// Creates a key in a new file. Returns the public half, which identifies it.
    pub(super) fn create(path: &Path) -> anyhow::Result<String> {
        let identity = Identity::generate();
        let public = identity.to_public().to_string();
        let text = format!("# public key: {public}\n{}\n", identity.to_string().expose_secret());
        let write = || {
            let mut file = private(path)?;
            file.write_all(text.as_bytes())?;
            file.sync_all()
        };
        write().with_context(|| format!("建立 {}", path.display()))?;
        Ok(public)
    }

    /// The key as it is written to its file.
    pub(crate) fn expose(&self) -> String {
        self.0.to_string().expose_secret().to_owned()
    }

    /// Begins to encrypt to it.
    pub(super) fn encrypt<W: Write>(&self, to: W) -> anyhow::Result<age::stream::StreamWriter<W>> {
        let recipient = self.0.to_public();
        let encryptor = Encryptor::with_recipients(std::iter::once(&recipient as &dyn age::Recipient))
            .map_err(|error| anyhow!("加密：{error}"))?;
        encryptor.wrap_output(to).context("加密")
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Key({})", self.0.to_public())
    }
}

/// Whether a file is encrypted.
pub(super) fn is_encrypted(path: &Path) -> std::io::Result<bool> {
    let mut beginning = Vec::new();
    File::open(path)?.take(INTRODUCTION.len() as u64).read_to_end(&mut beginning)?;
    Ok(beginning == INTRODUCTION)
}

/// The content of an encrypted file.
pub(super) fn decrypt(file: File, key: &Key) -> anyhow::Result<Box<dyn Read + Send>> {
    let opened = Decryptor::new_buffered(BufReader::new(file))
        .and_then(|file| file.decrypt(std::iter::once(&key.0 as &dyn age::Identity)));
    match opened {
        Ok(content) => Ok(Box::new(content)),
        Err(DecryptError::NoMatchingKeys) => Err(anyhow!("密钥不对：备份是用另一个密钥加密的")),
        Err(_) => Err(anyhow!("不是备份文件，或者已损坏")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_one_key_closes_no_other_opens() {
        let dir = tempfile::tempdir().unwrap();
        let (own, other, file) = (dir.path().join("own"), dir.path().join("other"), dir.path().join("file"));
        let public = Key::create(&own).unwrap();
        Key::create(&other).unwrap();
        assert!(Key::create(&own).is_err(), "a key is never written over");
        let key = Key::read(&own).unwrap();
        assert_eq!(format!("{key:?}"), format!("Key({public})"));
        let mut out = key.encrypt(File::create(&file).unwrap()).unwrap();
        out.write_all(b"content").unwrap();
        out.finish().unwrap();
        assert!(is_encrypted(&file).unwrap() && !is_encrypted(&own).unwrap());
        let mut content = String::new();
        decrypt(File::open(&file).unwrap(), &key).unwrap().read_to_string(&mut content).unwrap();
        assert_eq!(content, "content");
        let refused = decrypt(File::open(&file).unwrap(), &Key::read(&other).unwrap()).err().unwrap();
        assert!(refused.to_string().contains("密钥不对"), "{refused}");
        assert!(Key::read(&file).is_err());
    }
}
