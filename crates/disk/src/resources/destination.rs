//! Where a copy or a move goes.
//!
//! The parameter is percent-decoded once. Clients of the original encode it twice, so a second
//! decoding is tried in this one place, and taken only where the first reading leads nowhere and
//! the second somewhere: the second names something that exists, or a name in a folder that
//! exists where the first names a folder that does not, or it ends in the source's own name,
//! which the first does not. A path begins with a slash, so one that begins with a slash only when
//! decoded twice was encoded twice.

use crate::error::{DiskError, DiskResult};
use crate::host::Host;
use crate::jail::{Location, VirtualPath};
use crate::view::View;

/// Both readings of a destination; the second only where it differs and is a path.
#[derive(Clone, Debug)]
pub(super) struct Readings {
    once: VirtualPath,
    twice: Option<VirtualPath>,
}

impl Readings {
    /// From the parameter as it stands in the URL.
    pub(super) fn parse(raw: Option<&str>) -> DiskResult<Self> {
        let raw = raw.filter(|raw| !raw.is_empty()).ok_or_else(|| DiskError::bad_request("no destination"))?;
        let once = VirtualPath::parse(raw)?;
        let begins_twice = raw.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("%252f"));
        if begins_twice {
            return Ok(Self { once: VirtualPath::parse(once.to_string().trim_start_matches('/'))?, twice: None });
        }
        let twice = VirtualPath::parse(&once.to_string()).ok().filter(|twice| *twice != once);
        Ok(Self { once, twice })
    }

    /// The one that is meant.
    pub(super) fn choose(self, host: &Host, view: &View, source: &str) -> VirtualPath {
        let Some(twice) = self.twice else { return self.once };
        let once_leads_nowhere = !exists(host, view, &self.once);
        let to_existing = exists(host, view, &twice);
        let into_existing = !exists(host, view, &self.once.parent()) && exists(host, view, &twice.parent());
        let keeps_name = twice.name() == source && self.once.name() != source && self.once.parent() == twice.parent();
        if once_leads_nowhere && (to_existing || into_existing || keeps_name) { twice } else { self.once }
    }
}

fn exists(host: &Host, view: &View, path: &VirtualPath) -> bool {
    let at = |location: Location| host.jail.entry(&location).is_ok_and(|entry| matches!(entry.meta(), Ok(Some(_))));
    match view.writable(path) {
        Ok(location) if location.fixed => true,
        Ok(location) => at(location),
        Err(_) => false,
    }
}
