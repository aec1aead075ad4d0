//! Background work of a process: duties that run periodically, the leadership that some of them need, and the job table
//! for work that is written down first and done later.
//!
//! It knows no feature: the work of a duty or a job is passed in. Each duty has a task of its own, so a slow or failing
//! one delays nothing but itself, and leadership is confirmed separately.

mod clock_marks;
mod duties;
mod duty;
mod host;
mod jobs;
mod leadership;
mod log;
mod machine_clocks;

pub use clock_marks::ClockMarks;
pub use duties::{Attendance, Duties};
pub use duty::{Duty, DutyReport, FailingSubject, Run, Scope};
pub use host::host_name;
pub use jobs::{Attempt, Broken, DEFAULT_LEASE, JobCount, Jobs, NewJob};
pub use leadership::{CONFIRM_EVERY, hold};
pub use machine_clocks::MachineClocks;
