//! The room that an engine's things take.

/// All in bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct DiskUsage {
    /// All layers of all images, each once.
    pub(crate) layers: u64,
    /// Bytes in containers' roots.
    pub(crate) containers: u64,
    /// Volumes.
    pub(crate) volumes: u64,
    /// Cache of builds.
    pub(crate) build_cache: u64,
    /// Each image.
    pub(crate) images: Vec<ImageUse>,
}

/// The size of one image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ImageUse {
    /// Its id.
    pub(crate) id: String,
    /// All its layers.
    pub(crate) size: u64,
    /// Bytes shared with other images.
    pub(crate) shared: u64,
    /// Containers made of it.
    pub(crate) containers: u64,
}
