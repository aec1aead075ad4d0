//! A directory server for one test: Debian's `slapd`.

use std::fs;
use std::io::Write;
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

use crate::local::wait_for;
use crate::{Certificates, free_ports};

/// A directory with a lab's people and groups below `dc=lab` (`directory/people.ldif`) and password policies, on
/// loopback with and without TLS. Deleted with the test.
pub struct TestDirectory {
    process: Child,
    plain: u16,
    tls: u16,
    certificates: Certificates,
    _folder: TempDir,
}

impl TestDirectory {
    /// The bind account that may read everything.
    pub const READER: &str = "cn=reader,dc=lab";
    /// The reader's password.
    pub const READER_PASSWORD: &str = "只读-reader";
    /// The password of all people in it.
    pub const PASSWORD: &str = "lab-目录-2026";

    /// Starts a directory.
    ///
    /// # Panics
    /// When it does not start.
    #[must_use]
    pub fn start() -> Self {
        let folder = TempDir::new().expect("a folder");
        let certificates = Certificates::new();
        let config = prepare(folder.path(), &certificates);
        let [plain, tls] = free_ports();
        let process = Command::new("/usr/sbin/slapd")
            .args(["-d", "0", "-h", &format!("ldap://127.0.0.1:{plain} ldaps://127.0.0.1:{tls}"), "-f"])
            .arg(&config)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("slapd, of Debian's package");
        let directory = Self { process, plain, tls, certificates, _folder: folder };
        wait_for("the directory", || [plain, tls].iter().all(|port| TcpStream::connect(("127.0.0.1", *port)).is_ok()));
        directory
    }

    /// `ldap://…`, which also takes StartTLS.
    #[must_use]
    pub fn url(&self) -> String {
        format!("ldap://127.0.0.1:{}", self.plain)
    }

    /// `ldaps://…`
    #[must_use]
    pub fn tls_url(&self) -> String {
        format!("ldaps://127.0.0.1:{}", self.tls)
    }

    /// The CA of its certificate, in PEM.
    #[must_use]
    pub fn ca(&self) -> &str {
        &self.certificates.ca
    }

    /// Changes entries, by LDIF.
    ///
    /// # Panics
    /// When they can't be changed so.
    pub fn modify(&self, ldif: &str) {
        let mut command = Command::new("ldapmodify");
        command.args(["-x", "-H", &self.url(), "-D", "cn=root,dc=lab", "-w", "root"]);
        feed(&mut command, ldif);
    }

    /// Ends it, as when its machine is switched off.
    pub fn stop(&mut self) {
        self.process.kill().ok();
        self.process.wait().ok();
    }
}

impl Drop for TestDirectory {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Writes settings and people; gives the settings' path.
fn prepare(folder: &Path, certificates: &Certificates) -> std::path::PathBuf {
    let path = folder.display();
    let files = [
        ("ca.pem", &certificates.ca),
        ("server.pem", &certificates.server_certificate),
        ("server.key", &certificates.server_key),
    ];
    for (name, text) in files {
        fs::write(folder.join(name), text).expect("a certificate");
    }
    fs::create_dir(folder.join("data")).expect("a folder");
    let config = folder.join("slapd.conf");
    let tls = format!(
        "TLSCACertificateFile {path}/ca.pem\nTLSCertificateFile {path}/server.pem\nTLSCertificateKeyFile {path}/server.key\n"
    );
    let rest = include_str!("directory/slapd.conf").replace("FOLDER", &path.to_string());
    fs::write(&config, tls + &rest).expect("settings");
    let people = include_str!("directory/people.ldif")
        .replace("READER_SECRET", TestDirectory::READER_PASSWORD)
        .replace("PASSWORD", TestDirectory::PASSWORD);
    let mut command = Command::new("/usr/sbin/slapadd");
    feed(command.arg("-q").arg("-f").arg(&config), &people);
    config
}

fn feed(command: &mut Command, input: &str) {
    let command = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("slapd and ldap-utils, of Debian's packages");
    child.stdin.take().expect("a pipe").write_all(input.as_bytes()).expect("input");
    let done = child.wait_with_output().expect("an end");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}
