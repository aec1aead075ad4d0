//! App passwords that are confined to one folder.

use super::dav::{names, refused, send, sign, transfer};
use super::harness::TestDisk;

/// The folder of a confined app password is its root, and nothing outside of it is reachable.
#[tokio::test]
async fn a_confined_password_opens_one_folder() {
    let disk = TestDisk::new().await;
    disk.seed("home/ann/work/a", "hers");
    disk.seed("home/ann/private", "p");
    disk.link("../private", "home/ann/work/out");
    disk.link("a", "home/ann/work/in");
    for (who, folder) in [("ann", "/home/work"), ("root", "/home/ann/work")] {
        let by = || sign(&disk, who, &format!("app-{who} {folder}"));
        assert_eq!(names(by(), "/").await, ["a", "in"], "{who}");
        assert_eq!(send(by(), "GET", "/a", "").await.expect(200).text(), "hers");
        assert_eq!(send(by(), "GET", "/in", "").await.expect(200).text(), "hers");
        for path in ["/home/work/a", "/home/private", "/private", "/home/ann/private", "/share/x"] {
            send(by(), "GET", path, "").await.expect(404);
        }
        for path in ["/../private", "/%2e%2e/private"] {
            send(by(), "GET", path, "").await.expect(400);
        }
        refused(&send(by(), "GET", "/out", "").await);
        refused(&send(by(), "PUT", "/out", "x").await);
        refused(&send(by(), "DELETE", "/", "").await);
        let made = format!("by-{who}");
        send(by(), "PUT", &format!("/{made}"), "new").await.expect(201);
        assert_eq!(disk.read(&format!("home/ann/work/{made}")), "new");
        transfer(by(), "MOVE", &format!("/{made}"), "/moved").await.expect(201);
        send(by(), "DELETE", "/moved", "").await.expect(204);
    }
    assert_eq!(disk.read("home/ann/private"), "p");
    // An administrator's view does not create a missing folder.
    send(sign(&disk, "root", "app-root /home/nowhere"), "PROPFIND", "/", "").await.expect(404);
}
