//! Extended attributes of entries. The kernel's calls for them take no folder handle before Linux 6.13, so the name is
//! given below the handle's path in `/proc`; a link at its end is not followed.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStringExt;

use rustix::fd::{AsRawFd, OwnedFd};
use rustix::fs::{XattrFlags, lgetxattr, lsetxattr};
use rustix::io::Errno;

/// As large as Linux lets one be.
const MAX_ATTRIBUTE_BYTES: usize = 64 * 1024;

/// An attribute's content; `NODATA` when the entry does not have it.
pub fn attribute(folder: &OwnedFd, name: &OsStr, attribute: &str) -> Result<Vec<u8>, Errno> {
    let mut content = [0; 4096];
    match lgetxattr(address(folder, name), attribute, &mut content) {
        Ok(length) => Ok(content[..length].to_vec()),
        Err(Errno::RANGE) => {
            let mut content = vec![0; MAX_ATTRIBUTE_BYTES];
            let length = lgetxattr(address(folder, name), attribute, &mut content)?;
            content.truncate(length);
            Ok(content)
        }
        Err(other) => Err(other),
    }
}

/// Gives an entry an attribute.
pub fn set_attribute(folder: &OwnedFd, name: &OsStr, attribute: &str, content: &[u8]) -> Result<(), Errno> {
    lsetxattr(address(folder, name), attribute, content, XattrFlags::empty())
}

fn address(folder: &OwnedFd, name: &OsStr) -> OsString {
    let mut address = format!("/proc/self/fd/{}/", folder.as_raw_fd()).into_bytes();
    address.extend_from_slice(name.as_encoded_bytes());
    OsString::from_vec(address)
}
