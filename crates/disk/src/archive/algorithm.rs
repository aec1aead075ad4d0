//! The kinds of archives. Pure.

use disk_core::error::DiskError;
use disk_core::reason::Reason;
use serde::Deserialize;
use utoipa::ToSchema;

/// How things are packed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Algorithm {
    #[default]
    Zip,
    Tar,
    TarGz,
    TarBz2,
    TarXz,
    TarLz4,
    TarSz,
    TarZst,
    TarBr,
}

impl Algorithm {
    /// The extension of the archive's name.
    pub(crate) fn ending(self) -> &'static str {
        match self {
            Self::Zip => ".zip",
            Self::Tar => ".tar",
            Self::TarGz => ".tar.gz",
            Self::TarBz2 => ".tar.bz2",
            Self::TarXz => ".tar.xz",
            Self::TarLz4 => ".tar.lz4",
            Self::TarSz => ".tar.sz",
            Self::TarZst => ".tar.zst",
            Self::TarBr => ".tar.br",
        }
    }

    pub(super) fn media_type(self) -> &'static str {
        match self {
            Self::Zip => "application/zip",
            Self::Tar => "application/x-tar",
            Self::TarGz => "application/gzip",
            Self::TarBz2 => "application/x-bzip2",
            Self::TarXz => "application/x-xz",
            Self::TarLz4 => "application/x-lz4",
            Self::TarSz => "application/x-snappy-framed",
            Self::TarZst => "application/zstd",
            // Brotli has no type of its own.
            Self::TarBr => "application/octet-stream",
        }
    }
}

impl std::str::FromStr for Algorithm {
    type Err = DiskError;

    /// The value of `algo`. `true` and nothing mean zip, as in the original.
    fn from_str(name: &str) -> Result<Self, DiskError> {
        Ok(match name {
            "" | "true" | "zip" => Self::Zip,
            "tar" => Self::Tar,
            "targz" => Self::TarGz,
            "tarbz2" => Self::TarBz2,
            "tarxz" => Self::TarXz,
            "tarlz4" => Self::TarLz4,
            "tarsz" => Self::TarSz,
            "tarzst" => Self::TarZst,
            "tarbr" => Self::TarBr,
            _ => return Err(DiskError::bad_request(Reason::AlgorithmUnknown)),
        })
    }
}
