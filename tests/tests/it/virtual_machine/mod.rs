//! The product on machines of its own: Debian's kernel, systemd and Docker in QEMU ([`machine`]), where the package is
//! installed and an administrator's first week is played through ([`week`]).
//!
//! Without KVM, everything there is about twenty times slower: nothing is measured, and timeouts are in minutes.

mod join;
mod lab;
mod machine;
mod manual;
mod quotas;
mod upgrade;
mod week;

use std::path::Path;
use std::time::{Duration, Instant};

use machine::PATIENCE;

#[expect(clippy::print_stderr, reason = "the test runner's output is where this is looked for")]
fn say(text: &str) {
    eprintln!("virtual machine: {text}");
}

/// Waits for a condition in a machine. Polls only twice a second, because answers take its processor's time.
async fn eventually<T>(what: &str, mut look: impl AsyncFnMut() -> Option<T>) -> T {
    let mut tick = tokio::time::interval(Duration::from_millis(500));
    let look = async || {
        tick.tick().await;
        look().await
    };
    tests::until(what, PATIENCE, look).await
}

/// Reports how long each step took.
struct Watch(Instant);

impl Watch {
    fn new() -> Self {
        Self(Instant::now())
    }

    fn lap(&mut self, step: &str) {
        say(&format!("{step}: {:.0} s", self.0.elapsed().as_secs_f64()));
        self.0 = Instant::now();
    }
}

fn file_name(path: &Path) -> &str {
    path.file_name().and_then(|name| name.to_str()).expect("a plain name")
}
