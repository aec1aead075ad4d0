//! The room that an engine's things take.

/// All in bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DiskUsage {
    /// All layers of all images, each once.
    pub layers: u64,
    /// Bytes in containers' roots.
    pub containers: u64,
    /// Volumes.
    pub volumes: u64,
    /// Cache of builds.
    pub build_cache: u64,
    /// Each image.
    pub images: Vec<ImageUse>,
}

/// The size of one image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImageUse {
    /// Its id.
    pub id: String,
    /// All its layers.
    pub size: u64,
    /// Bytes shared with other images.
    pub shared: u64,
    /// Containers made of it.
    pub containers: u64,
}
