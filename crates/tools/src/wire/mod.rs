//! The bytes of the protocol: numbers and strings, frames, requests and their answers. Parsing never panics, never
//! allocates more than the frame that it was given, and rejects whatever is too much.

mod code;
mod frame;
mod request;
mod signal;
#[cfg(test)]
mod tests;

pub use code::{Code, Malformed, Reader, Writer};
pub use frame::{Frame, HEADER_BYTES, Header, Hello, Kind};
pub use request::{Address, Exit, Opened, Peer, Refusal, Refused, Request, Run, Shell, Size, Terminal};
pub use signal::{signal_name, signal_number};

/// The version of the protocol. A frame or request that an older side does not have comes with a higher one.
pub const VERSION: u16 = 1;
/// Bytes of data in one frame.
pub const MAX_DATA_BYTES: usize = 64 << 10;
/// Bytes of a request. The kernel takes 128 KiB for one argument.
pub const MAX_REQUEST_BYTES: usize = 256 << 10;
/// Bytes of any other frame.
pub const MAX_CONTROL_BYTES: usize = 8 << 10;
/// Channels of a connection at the same time, those included that the other side opened.
pub const MAX_CHANNELS: usize = 1024;
/// What a side may have sent on a channel without having been granted more.
pub const WINDOW_BYTES: u32 = 256 << 10;
/// Ids of channels that the program opens begin here; below are the portal's.
pub const ACCEPTED_IDS: u32 = 1 << 31;
/// The portal sends something at least this often, in seconds.
pub const PING_SECONDS: u64 = 60;
/// The program ends after this long without a frame, in seconds.
pub const SILENCE_SECONDS: u64 = 300;
