//! The conditions, one file for each kind of fault. The facts come from other features.

mod backups;
mod cards;
mod certificate;
mod clock;
mod disks;
mod duties;
mod logins;
mod quotas;
mod servers;

use http_kit::ApiResult;

use kernel::units::GB;

use super::tracker::Condition;
use crate::Portal;
use crate::features::servers as known_servers;

/// All that is wrong now, or may be.
pub(super) async fn find(portal: &Portal) -> ApiResult<Vec<Condition>> {
    let servers = known_servers::all(portal.db()).await?;
    let mut found = servers::look(&servers);
    found.extend(cards::look(portal, &servers).await?);
    found.extend(disks::look(portal, &servers).await);
    found.extend(quotas::look(portal).await?);
    found.extend(certificate::look(portal, &servers).await);
    found.extend(backups::look(portal).await?);
    found.extend(clock::look(portal));
    found.extend(duties::look(portal, &servers).await?);
    found.extend(logins::look(portal).await?);
    Ok(found)
}

/// As pages show it.
fn size(bytes: u64) -> String {
    let tenths = bytes.saturating_mul(10) / GB.unsigned_abs();
    format!("{}.{} GB", tenths / 10, tenths % 10)
}
