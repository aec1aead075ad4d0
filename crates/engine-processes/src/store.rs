//! The cluster's folder.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use engine::{Endpoint, Error, Foreign, HeldCards, Observed, Phase, Protocol, Result, WorkloadId};

use crate::procfs::Executable;
use crate::record::{Ending, Life, Record, get};

#[derive(Clone, Debug)]
pub(crate) struct Store {
    pub(crate) cluster: PathBuf,
}

/// A folder in `objects`.
pub(crate) struct Object {
    pub(crate) dir: PathBuf,
    pub(crate) record: Record,
    /// Of its last start; `None` before the first.
    pub(crate) life: Option<Life>,
    pub(crate) ending: Option<Ending>,
    frozen: bool,
}

/// Folders with these beginnings are no objects: one is being made, the other being removed.
pub(crate) const NEW: &str = ".new-";
pub(crate) const GONE: &str = ".gone-";

pub(crate) fn failed(fault: impl std::fmt::Display) -> Error {
    Error::Failed(fault.to_string())
}

impl Store {
    /// # Errors
    /// `Unreachable` when the cluster is away.
    pub(crate) fn objects(&self) -> Result<PathBuf> {
        if !self.cluster.is_dir() {
            return Err(Error::Unreachable(format!("{} is not there", self.cluster.display())));
        }
        let objects = self.cluster.join("objects");
        fs::create_dir_all(&objects).map_err(failed)?;
        Ok(objects)
    }

    /// Folders by whether they are ours, being made or removed.
    pub(crate) fn hidden(&self, beginning: &str) -> Result<Vec<PathBuf>> {
        let names = |dir: PathBuf| dir.file_name().is_some_and(|name| name.to_string_lossy().starts_with(beginning));
        Ok(self.folders()?.into_iter().filter(|dir| names(dir.clone())).collect())
    }

    fn folders(&self) -> Result<Vec<PathBuf>> {
        let entries =
            fs::read_dir(self.objects()?).and_then(Iterator::collect::<io::Result<Vec<_>>>).map_err(failed)?;
        Ok(entries.into_iter().map(|entry| entry.path()).collect())
    }

    pub(crate) fn all(&self) -> Result<Vec<Object>> {
        let is_object = |dir: &PathBuf| dir.file_name().is_some_and(|name| !name.to_string_lossy().starts_with('.'));
        let folders = self.folders()?.into_iter().filter(is_object);
        let read = folders.map(|dir| Object::read(dir).map_err(failed)).collect::<Result<Vec<_>>>()?;
        Ok(read.into_iter().flatten().collect())
    }

    pub(crate) fn find(&self, id: &WorkloadId) -> Result<Option<Object>> {
        Ok(self.all()?.into_iter().find(|object| object.record.workload.as_deref() == Some(id.as_str())))
    }

    pub(crate) fn get(&self, id: &WorkloadId) -> Result<Object> {
        self.find(id)?.ok_or_else(|| Error::NotFound(id.to_string()))
    }
}

impl Object {
    /// `None` when it has gone meanwhile.
    fn read(dir: PathBuf) -> io::Result<Option<Self>> {
        let Some(record) = get(&dir.join("record.json"))? else { return Ok(None) };
        let life = get(&dir.join("life.json"))?;
        let ending = get(&dir.join("end.json"))?;
        let frozen = dir.join("frozen").exists();
        Ok(Some(Self { record, life, ending, frozen, dir }))
    }

    pub(crate) fn name(&self) -> String {
        self.dir.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
    }

    /// What runs now.
    pub(crate) fn running(&self) -> Option<&Life> {
        self.life.as_ref().filter(|life| life.lasts())
    }

    pub(crate) fn phase(&self) -> Phase {
        match &self.life {
            None => Phase::Waiting,
            Some(life) if !life.lasts() => Phase::Ended(None),
            Some(_) if self.frozen => Phase::Frozen,
            Some(_) => Phase::Running,
        }
    }

    /// All its processes but the keepers.
    pub(crate) fn members(&self, keeper: Executable) -> Vec<u32> {
        self.running().map_or_else(Vec::new, |life| crate::procfs::members_here(&life.space, keeper))
    }

    pub(crate) fn observed(&self) -> Option<Observed> {
        let phase = self.phase();
        let endpoints = self.record.ports.iter().filter(|_| phase.is_active()).filter_map(|forward| {
            Some(Endpoint {
                port: forward.port.try_into().ok()?,
                protocol: Protocol::Tcp,
                node_port: forward.node_port.try_into().ok()?,
            })
        });
        Some(Observed {
            id: self.record.workload.as_ref()?.parse().ok()?,
            generation: self.record.generation,
            endpoints: endpoints.collect(),
            phase,
            cards: self.record.cards.clone(),
            object: self.record.object.clone(),
            name: self.name(),
            image: self.record.image.clone(),
        })
    }

    pub(crate) fn foreign(&self) -> Foreign {
        Foreign {
            object: self.record.object.clone(),
            name: self.name(),
            image: self.record.image.clone(),
            active: self.phase().is_active(),
            cards: HeldCards { nodes: self.record.nodes.clone(), ..HeldCards::default() },
        }
    }

    /// The name of a workload's folder.
    pub(crate) fn folder_name(name: &str, id: &str) -> String {
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        if !name.is_empty() && name.len() <= 128 && name.chars().all(plain) {
            return name.to_owned();
        }
        format!("{}-{id}", name.chars().filter(|c| plain(*c)).take(64).collect::<String>())
    }
}

/// Removes a folder so that it is gone at once, whatever becomes of the rest.
pub(crate) fn remove(dir: &Path) -> io::Result<()> {
    let gone = dir.with_file_name(format!("{GONE}{}", uuid::Uuid::new_v4().simple()));
    match fs::rename(dir, &gone) {
        Err(fault) if fault.kind() == io::ErrorKind::NotFound => return Ok(()),
        renamed => renamed?,
    }
    fs::remove_dir_all(gone)
}
