//! Permission to use an image, by any of its names. A private image cannot be used by its name, its id, another name in
//! its registry, or while it is being made.

use std::collections::{HashMap, HashSet};

use db_kit::Sql;
use engine::ImageRef;
use http_kit::{ApiError, ApiResult};
use kernel::{Actor, Role, UserId};

use super::{registries, store, store_jobs};
use crate::Portal;
use crate::features::settings;
use crate::reach::Reach;

/// Images of the lab that are in no registry are called `yunlab/…`.
pub(super) const LOCAL: &str = "yunlab";
/// Images that hold an instance's root between two of its containers; they cannot be used by name.
const ROOTS: &str = "yunlab-root/";
/// The portal's own images on engines.
const OWN: [&str; 2] = ["yunlab/probe", "yunlab/machine-helper"];

/// Refuses an image that the actor may not create an instance of or pull.
///
/// # Errors
/// 422 on the field `image`, with the same words for another person's image and one that does not exist.
pub(crate) async fn check_usable(db: &impl Sql, actor: &Actor, image: &str) -> ApiResult<()> {
    let refusal = || ApiError::field("image", "镜像不存在，或没有权限使用");
    let named: ImageRef = image.parse().map_err(|_| ApiError::field("image", "镜像名称的格式不正确"))?;
    let repository = familiar(named.repository());
    if repository.starts_with(ROOTS) {
        return Err(refusal());
    }
    if actor.is_admin() {
        return Ok(());
    }
    if repository.is_empty() {
        return Err(ApiError::field("image", "请用名称指定镜像"));
    }
    // A digest may mean any of the repository's images.
    let tag = named.digest().is_none().then(|| named.tag().unwrap_or("latest"));
    if store::count_hidden(db, actor, repository, tag).await? > 0 {
        return Err(refusal());
    }
    let known = store::count(db, repository, tag).await? > 0;
    if !known && (is_unpushed(&named) || store_jobs::is_being_made(db, actor.id, repository, tag).await?) {
        return Err(refusal());
    }
    if !known && !is_unpushed(&named) {
        check_registry(db, named.repository()).await?;
    }
    Ok(())
}

/// Refuses a registry that people may not take images from. Images in the lab's own list are exempt: they were added by
/// people who were allowed to.
async fn check_registry(db: &impl Sql, repository: &str) -> ApiResult<()> {
    match Registries::of(db).await?.refusal(repository) {
        Some(why) => Err(ApiError::field("image", why)),
        None => Ok(()),
    }
}

/// Refuses an image whose registry has a name that leads to a forbidden address. Apart from [`check_usable`], because no
/// transaction should wait for a name to be resolved. The engine resolves it again, so a name whose address changes in
/// between is not caught: what keeps engines from such addresses in any case is a rule on their machines.
///
/// # Errors
/// 422 on the field `image`.
pub(crate) async fn check_reach(db: &impl Sql, actor: &Actor, image: &str) -> ApiResult<()> {
    let Ok(named) = image.parse::<ImageRef>() else { return Ok(()) };
    if actor.is_admin() || is_unpushed(&named) {
        return Ok(());
    }
    let registries = Registries::of(db).await?;
    let registry = registry_of(named.repository());
    if registry == "docker.io" || registries.is_trusted(registry) {
        return Ok(());
    }
    registries.reach.check_name(host_of(registry)).await.map_err(|why| ApiError::field("image", why))
}

/// The registries that people may take images from.
#[derive(Debug)]
struct Registries {
    reach: Reach,
    /// Empty: all.
    allowed: Vec<String>,
    ours: Vec<String>,
}

impl Registries {
    async fn of(db: &impl Sql) -> ApiResult<Self> {
        let settings = settings::read(db).await?;
        let ours = registries::ours(db, &settings).await?;
        Ok(Self { reach: Reach::of(&settings), allowed: settings.security.allowed_registries, ours })
    }

    /// Whether an administrator named this registry.
    fn is_trusted(&self, registry: &str) -> bool {
        self.allowed.iter().chain(&self.ours).any(|one| one == registry)
    }

    /// The reason why people may not take an image of this repository; `None` if they may.
    fn refusal(&self, repository: &str) -> Option<String> {
        let registry = registry_of(repository);
        let address: Option<url::Host> = url::Host::parse(host_of(registry)).ok();
        if let Err(why) = self.reach.check(address.as_ref()) {
            return Some(why);
        }
        if self.allowed.is_empty() || self.is_trusted(registry) {
            return None;
        }
        let allowed = self.allowed.join("、");
        Some(format!("不能使用镜像仓库 {registry} 的镜像，可以使用：{allowed}。需要其他仓库请联系管理员"))
    }
}

/// Images on an engine that a person may create an instance of: the rules of [`check_usable`] and [`may_use_digest`],
/// for many at once.
#[derive(Debug)]
pub(super) struct Usable(Option<ForPerson>);

#[derive(Debug)]
struct ForPerson {
    /// By repository and tag.
    kept: HashMap<(String, String), bool>,
    by_digest: HashMap<String, bool>,
    made_for_others: HashSet<String>,
    registries: Registries,
}

impl Usable {
    pub(super) async fn of(db: &impl Sql, actor: &Actor) -> ApiResult<Self> {
        if actor.is_admin() {
            return Ok(Self(None));
        }
        let (mut kept, mut by_digest) = (HashMap::new(), HashMap::new());
        for one in store::standing(db, actor.id).await? {
            let usable = one.is_usable();
            *by_digest.entry(one.digest).or_insert(false) |= usable;
            kept.insert((one.repository, one.tag), usable);
        }
        let made_for_others = store_jobs::names_made_for_others(db, actor.id).await?.into_iter().collect();
        Ok(Self(Some(ForPerson { kept, by_digest, made_for_others, registries: Registries::of(db).await? })))
    }

    /// Whether the image of this name and id may be used.
    pub(super) fn allows(&self, name: &str, id: &str) -> bool {
        let Ok(named) = name.parse::<ImageRef>() else { return false };
        let (repository, tag) = (familiar(named.repository()), named.tag().unwrap_or("latest"));
        if repository.is_empty() || repository.starts_with(ROOTS) || OWN.contains(&repository) {
            return false;
        }
        let Some(person) = &self.0 else { return true };
        if person.by_digest.get(id) == Some(&false) {
            return false;
        }
        if let Some(usable) = person.kept.get(&(repository.to_owned(), tag.to_owned())) {
            return *usable;
        }
        let made = person.made_for_others.contains(&format!("{repository}:{tag}"));
        !made && !is_unpushed(&named) && person.registries.refusal(named.repository()).is_none()
    }
}

/// Splits a name as Docker does: the part before the first slash is a registry if it looks like a host.
fn registry_of(repository: &str) -> &str {
    match repository.split_once('/') {
        Some((first, _)) if first == "localhost" || first.contains(['.', ':']) => match first {
            "index.docker.io" => "docker.io",
            first => first,
        },
        _ => "docker.io",
    }
}

/// Without the port.
fn host_of(registry: &str) -> &str {
    match registry.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|b| b.is_ascii_digit()) => host,
        _ => registry,
    }
}

/// Whether this is an image of the lab that is in no registry: only the servers that have it can use it.
pub(crate) fn is_unpushed(image: &ImageRef) -> bool {
    familiar(image.repository()).split('/').next() == Some(LOCAL)
}

/// Whether the user may use the image that an engine found under a permitted name: it may be another name of a private
/// image.
pub(crate) async fn may_use_digest(portal: &Portal, user: UserId, digest: &str) -> ApiResult<bool> {
    let person = portal.person(user).await.map_err(ApiError::internal)?;
    if person.is_some_and(|person| person.role == Role::Admin) {
        return Ok(true);
    }
    Ok(!store::is_hidden_digest(portal.db(), user, digest).await?)
}

/// As Docker itself shortens names: `docker.io/library/x` is `x`.
fn familiar(repository: &str) -> &str {
    let short = ["docker.io/", "index.docker.io/"].iter().find_map(|prefix| repository.strip_prefix(prefix));
    let short = short.unwrap_or(repository);
    short.strip_prefix("library/").unwrap_or(short)
}

/// Repositories and images of a registry that a person must not see.
#[derive(Debug, Default)]
pub(super) struct Hidden {
    repositories: HashSet<String>,
    images: HashSet<String>,
}

impl Hidden {
    pub(super) async fn of(db: &impl Sql, actor: &Actor, address: &str) -> ApiResult<Self> {
        let mut hidden = Self::default();
        if actor.is_admin() {
            return Ok(hidden);
        }
        let mut open = HashSet::new();
        for (repository, tag, usable) in store::below(db, actor.id, address).await? {
            let Some(name) = repository.strip_prefix(&format!("{address}/")) else { continue };
            if usable {
                open.insert(name.to_owned());
            } else {
                hidden.images.insert(format!("{name}:{tag}"));
                hidden.repositories.insert(name.to_owned());
            }
        }
        hidden.repositories.retain(|name| !open.contains(name));
        Ok(hidden)
    }

    pub(super) fn has_repository(&self, repository: &str) -> bool {
        self.repositories.contains(repository)
    }

    /// Whether a tag or digest is, or may be, a hidden image's.
    pub(super) fn may_mean(&self, repository: &str, reference: &str) -> bool {
        let digest = reference.contains(':');
        let any = || self.images.iter().any(|image| image.rsplit_once(':').is_some_and(|(name, _)| name == repository));
        self.has(repository, reference) || (digest && any())
    }

    /// Repository and tag.
    pub(super) fn has(&self, repository: &str, tag: &str) -> bool {
        self.has_repository(repository) || self.images.contains(&format!("{repository}:{tag}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_shortened_as_docker_does() {
        for (long, short) in [
            ("docker.io/library/busybox", "busybox"),
            ("index.docker.io/yunlab/ann/x", "yunlab/ann/x"),
            ("library/busybox", "busybox"),
            ("lab:5000/library/x", "lab:5000/library/x"),
        ] {
            assert_eq!(familiar(long), short);
        }
    }
}
