//! What in-memory engines and clusters say of themselves and their images.

use engine::{Capabilities, CgroupVersion, Image, ImageDetail, RootQuota};
use kernel::Timestamp;

/// A machine of 32 cores with Docker as Debian 12 has it.
pub(crate) fn capabilities(id: &str, nvidia: bool, certificate_end: Option<Timestamp>) -> Capabilities {
    let runtimes = if nvidia { ["runc", "nvidia"].as_slice() } else { &["runc"] };
    Capabilities {
        id: id.to_owned(),
        host_name: "gpu01".to_owned(),
        engine_version: "20.10.24".to_owned(),
        api_version: "1.41".to_owned(),
        operating_system: "Debian GNU/Linux 12".to_owned(),
        kernel: "6.1.0".to_owned(),
        architecture: "x86_64".to_owned(),
        cpus: 32,
        memory: 256 << 30,
        data_root: "/var/lib/docker".to_owned(),
        storage_driver: "overlay2".to_owned(),
        root_quota: RootQuota::None { backing: "extfs".to_owned() },
        cgroup_version: CgroupVersion::V2,
        cgroup_driver: "systemd".to_owned(),
        live_restore: true,
        runtimes: runtimes.iter().map(|name| (*name).to_owned()).collect(),
        default_runtime: "runc".to_owned(),
        cdi: false,
        certificate_end,
        warnings: Vec::new(),
    }
}

pub(crate) fn image(name: &str, id: &str) -> Image {
    let created = Timestamp::from_millis(0);
    Image { id: id.to_owned(), tags: vec![name.to_owned()], digests: Vec::new(), size: 3 << 30, created }
}

pub(crate) fn image_detail(name: &str, id: &str) -> ImageDetail {
    ImageDetail {
        image: image(name, id),
        architecture: "amd64".to_owned(),
        os: "linux".to_owned(),
        environment: Vec::new(),
        entrypoint: Vec::new(),
        command: Vec::new(),
        working_dir: String::new(),
        user: String::new(),
        exposed_ports: Vec::new(),
        layers: Vec::new(),
        history: Vec::new(),
    }
}
