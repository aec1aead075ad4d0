//! Names of containers and images, validated for use in the URL of an engine's API: `..`, `/`, `?` or a blank would
//! turn a call into another one.

use std::fmt;
use std::str::FromStr;

use crate::Invalid;

/// A container's name or its id.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ContainerRef(String);

impl ContainerRef {
    /// As text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for ContainerRef {
    type Err = Invalid;

    /// Docker's rule for names, `[a-zA-Z0-9][a-zA-Z0-9_.-]+`, and at most 128 characters.
    fn from_str(text: &str) -> Result<Self, Invalid> {
        let invalid = |why| Invalid::new("container name", text, why);
        if text.len() < 2 || text.len() > 128 {
            return Err(invalid("must have 2 to 128 characters"));
        }
        let inner = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
        if !text.starts_with(|c: char| c.is_ascii_alphanumeric()) || !text.chars().all(inner) {
            return Err(invalid("only letters, digits, '_', '.' and '-' after a letter or digit"));
        }
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Display for ContainerRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The name of an image, `[registry/]repository[:tag][@digest]`, or an id, `sha256:…`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ImageRef {
    repository: String,
    tag: Option<String>,
    digest: Option<String>,
}

impl ImageRef {
    /// The name without tag and digest; empty for an id.
    #[must_use]
    pub fn repository(&self) -> &str {
        &self.repository
    }

    /// The given tag; without one and without a digest engines use `latest`.
    #[must_use]
    pub fn tag(&self) -> Option<&str> {
        self.tag.as_deref()
    }

    /// `sha256:` and 64 digits.
    #[must_use]
    pub fn digest(&self) -> Option<&str> {
        self.digest.as_deref()
    }

    /// The registry's address, `host[:port]`, when the name begins with one.
    #[must_use]
    pub fn registry(&self) -> Option<&str> {
        self.repository.split_once('/').map(|(first, _)| first).filter(|first| is_registry(first))
    }
}

/// Of the registry and the path together, also where the registry is left out: `NameTotalLengthMax` of
/// `distribution/reference`.
const MAX_REPOSITORY: usize = 255;

impl FromStr for ImageRef {
    type Err = Invalid;

    /// The grammar of `distribution/reference`, at most 512 characters.
    fn from_str(text: &str) -> Result<Self, Invalid> {
        let invalid = |why| Invalid::new("image", text, why);
        if text.is_empty() || text.len() > 512 {
            return Err(invalid("must have 1 to 512 characters"));
        }
        if is_digest(text) {
            return Ok(Self { repository: String::new(), tag: None, digest: Some(text.to_owned()) });
        }
        let (name, digest) = match text.split_once('@') {
            Some((name, digest)) => (name, Some(digest)),
            None => (text, None),
        };
        if digest.is_some_and(|digest| !is_digest(digest)) {
            return Err(invalid("the digest is not sha256: and 64 digits"));
        }
        let after_path = name.rfind('/').map_or(0, |at| at + 1);
        let (repository, tag) = match name[after_path..].find(':') {
            Some(at) => (&name[..after_path + at], Some(&name[after_path + at + 1..])),
            None => (name, None),
        };
        if tag.is_some_and(|tag| !is_tag(tag)) {
            return Err(invalid("the tag is not made of letters, digits, '_', '.' and '-'"));
        }
        let (implied, path) = match repository.split_once('/') {
            Some((first, rest)) if is_registry(first) => {
                if !is_address(first) {
                    return Err(invalid("the registry is no host and port"));
                }
                ("", rest)
            }
            Some(_) => ("docker.io/", repository),
            None => ("docker.io/library/", repository),
        };
        if implied.len() + repository.len() > MAX_REPOSITORY {
            return Err(invalid("the repository with its registry is longer than 255 characters"));
        }
        if !path.split('/').all(is_component) {
            return Err(invalid("the repository is not made of lower-case letters, digits, '.', '_' and '-'"));
        }
        Ok(Self { repository: repository.to_owned(), tag: tag.map(str::to_owned), digest: digest.map(str::to_owned) })
    }
}

impl fmt::Display for ImageRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.repository)?;
        if let Some(tag) = &self.tag {
            write!(f, ":{tag}")?;
        }
        match &self.digest {
            Some(digest) if self.repository.is_empty() => f.write_str(digest),
            Some(digest) => write!(f, "@{digest}"),
            None => Ok(()),
        }
    }
}

/// Docker's own rule for telling a registry from the first part of a path.
fn is_registry(first: &str) -> bool {
    first == "localhost" || first.contains(['.', ':']) || first.contains(|c: char| c.is_ascii_uppercase())
}

fn is_address(text: &str) -> bool {
    let (host, port) = text.split_once(':').map_or((text, None), |(host, port)| (host, Some(port)));
    let label = |label: &str| {
        !label.is_empty()
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
    };
    host.split('.').all(label) && port.is_none_or(|port| port.parse::<u16>().is_ok_and(|port| port > 0))
}

fn is_digest(text: &str) -> bool {
    let digits = text.strip_prefix("sha256:").unwrap_or_default();
    digits.len() == 64 && digits.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
}

fn is_tag(text: &str) -> bool {
    let first = text.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
    first && text.len() <= 128 && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-'))
}

/// Lower-case words joined by one dot, one or two underscores, or dashes.
fn is_component(text: &str) -> bool {
    let word = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    let edges = text.starts_with(word) && text.ends_with(word);
    let mut joints = text.split(word).filter(|joint| !joint.is_empty());
    edges && joints.all(|joint| matches!(joint, "." | "_" | "__") || joint.chars().all(|c| c == '-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_containers() {
        for good in ["ab", "ins_zhangmin_GPUa1b2c", "yunlab-probe", &"f".repeat(64)] {
            assert_eq!(good.parse::<ContainerRef>().unwrap().as_str(), good);
        }
        for bad in ["", "a", "_a", ".a", "a/b", "../x", "a?force=1", "a b", "a\n", "a%2f", "容器", &"f".repeat(129)] {
            assert!(bad.parse::<ContainerRef>().is_err(), "{bad:?}");
        }
    }

    #[test]
    fn names_of_images_round_trip() {
        let digest = format!("sha256:{}", "0a".repeat(32));
        for good in [
            "busybox".to_owned(),
            "library/busybox:1.35".to_owned(),
            "127.0.0.1:5000/zhangmin/torch__x:v2_final".to_owned(),
            "Registry.lab/a/b-c---d.e:latest".to_owned(),
            "localhost/x".to_owned(),
            format!("pytorch/pytorch:2.4@{digest}"),
            digest.clone(),
            "a".repeat(237),
            format!("lab.x/{}:latest", "a".repeat(249)),
        ] {
            assert_eq!(good.parse::<ImageRef>().unwrap().to_string(), good);
        }
        let image: ImageRef = format!("lab:5000/a/b:t@{digest}").parse().unwrap();
        assert_eq!(image.registry(), Some("lab:5000"));
        assert_eq!((image.repository(), image.tag(), image.digest()), ("lab:5000/a/b", Some("t"), Some(&*digest)));
        assert_eq!("a/b:t".parse::<ImageRef>().unwrap().registry(), None);
    }

    #[test]
    fn hostile_names_of_images_are_refused() {
        for bad in [
            "",
            "Busybox",
            "-x",
            "a//b",
            "/a",
            "a/",
            "a/../b",
            "..",
            "a:b:c",
            "a:",
            "a b",
            "a\n",
            "a\0",
            "a?fromSrc=-",
            "a#b",
            "a%2e",
            "a@sha256:12",
            "lab:0/a",
            "lab:99999/a",
            "-lab.x/a",
            "镜像",
            "http://lab/a",
            &"a".repeat(513),
            // With the `docker.io/library/` that is left out, and with a registry, 256.
            &"a".repeat(238),
            &format!("lab.x/{}", "a".repeat(250)),
        ] {
            assert!(bad.parse::<ImageRef>().is_err(), "{bad:?}");
        }
    }
}
