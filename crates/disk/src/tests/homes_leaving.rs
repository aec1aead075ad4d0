//! Homes of people who leave.

use kernel::home::{HomeChore, HomeFault, HomeOutcome, HomeOwner, HomeWork};

use super::harness::TestDisk;

fn owner(id: i64, username: &str) -> HomeOwner {
    HomeOwner { id, username: username.to_owned() }
}

/// A chore for the home of Ann, who leaves.
fn chore(id: &str, work: HomeWork) -> HomeChore {
    HomeChore { id: id.to_owned(), owner: owner(2, "ann"), work }
}

fn to_bob(id: &str) -> HomeChore {
    chore(id, HomeWork::HandOver { to: owner(3, "bob") })
}

fn done(place: Option<&str>, in_trash: bool, shares: u64) -> HomeOutcome {
    HomeOutcome::Done { place: place.map(str::to_owned), in_trash, shares }
}

#[tokio::test]
async fn a_home_becomes_a_folder_of_the_receiver_and_its_links_end() {
    let disk = TestDisk::new().await;
    disk.seed("home/ann/data/x", "hers");
    disk.seed("home/ann/gone", "in the trash");
    disk.seed("home/bob/来自 ann/old", "of somebody before");
    let share = disk.ann().post("/api/share/home/data/x", "").await.expect(200);
    let shared = format!("/api/public/dl/{}", share.json()["hash"].as_str().unwrap());
    disk.anonymous().get(&shared).await.expect(200);
    disk.ann().delete("/api/resources/home/gone").await.expect(200);

    let outcome = disk.portal.outcome_of_home(to_bob("d1")).await;
    let HomeOutcome::Done { place: Some(place), in_trash: false, shares } = outcome else { panic!("{outcome:?}") };
    // The link to a moved file may have ended with the move.
    assert!(shares <= 1);
    assert!(place.starts_with("home/bob/来自 ann") && place != "home/bob/来自 ann", "{place}");
    assert_eq!(disk.read(&format!("{place}/data/x")), "hers");
    assert_eq!(disk.read("home/bob/来自 ann/old"), "of somebody before");
    assert!(!disk.real("home/ann").exists());
    disk.anonymous().get(&shared).await.expect(404);
    let trash = disk.bob().get("/api/trash").await.expect(200);
    assert!(trash.text().contains("gone"), "what she deleted is the receiver's: {}", trash.text());

    // The report may have been lost.
    assert_eq!(disk.portal.outcome_of_home(to_bob("d1")).await, done(Some(&place), false, 0));
    assert!(disk.leftovers().is_empty());
}

#[tokio::test]
async fn who_never_had_a_home_leaves_none() {
    let disk = TestDisk::new().await;
    assert_eq!(disk.portal.outcome_of_home(to_bob("d1")).await, done(None, false, 0));
    assert_eq!(disk.portal.outcome_of_home(chore("d2", HomeWork::Keep)).await, done(None, false, 0));
    let delete = HomeWork::Delete { by: 1, by_name: "root".to_owned() };
    assert_eq!(disk.portal.outcome_of_home(chore("d3", delete)).await, done(None, false, 0));
    assert!(!disk.real("home/ann").exists());
}

#[tokio::test]
async fn a_receiver_without_a_home_gets_one() {
    let disk = TestDisk::new().await;
    disk.seed("home/ann/x", "hers");
    assert_eq!(disk.portal.outcome_of_home(to_bob("d1")).await, done(Some("home/bob/来自 ann"), false, 0));
    assert_eq!(disk.bob().get("/api/raw/home/%E6%9D%A5%E8%87%AA%20ann/x").await.expect(200).text(), "hers");
}

#[tokio::test]
async fn a_receiver_without_room_gets_nothing() {
    let disk = TestDisk::new().await;
    disk.seed("home/ann/x", vec![0; 64 * 1024]);
    disk.portal.set(3, |bob| bob.disk_quota = 1024);
    let no_room = HomeOutcome::Failed { fault: HomeFault::NoRoom };
    assert_eq!(disk.portal.outcome_of_home(to_bob("d1")).await, no_room);
    assert!(disk.real("home/ann/x").exists());
    disk.portal.set(3, |bob| bob.disk_quota = 0);
    assert_eq!(disk.portal.outcome_of_home(to_bob("d1")).await, done(Some("home/bob/来自 ann"), false, 0));
}

#[tokio::test]
async fn a_deleted_home_lies_in_the_trash_and_a_kept_one_stays() {
    let disk = TestDisk::new().await;
    disk.seed("home/ann/x", "hers");
    disk.ann().post("/api/share/home/x", "").await.expect(200);
    assert_eq!(disk.portal.outcome_of_home(chore("d1", HomeWork::Keep)).await, done(Some("home/ann"), false, 1));
    assert_eq!(disk.read("home/ann/x"), "hers");
    let delete = || HomeWork::Delete { by: 1, by_name: "root".to_owned() };
    assert_eq!(disk.portal.outcome_of_home(chore("d2", delete())).await, done(None, true, 0));
    assert!(!disk.real("home/ann").exists());
    let trash = disk.root().get("/api/trash").await.expect(200);
    assert!(trash.text().contains("home/ann"), "{}", trash.text());
    assert_eq!(disk.portal.outcome_of_home(chore("d2", delete())).await, done(None, false, 0), "done before");
}

#[tokio::test]
async fn the_home_of_somebody_else_of_that_name_is_left_alone() {
    let disk = TestDisk::new().await;
    disk.seed("home/ann/x", "the present one's");
    disk.ann().get("/api/resources/home").await.expect(200);
    let of_former = HomeChore { owner: owner(9, "ann"), ..to_bob("d1") };
    assert_eq!(disk.portal.outcome_of_home(of_former).await, done(None, false, 0));
    assert_eq!(disk.read("home/ann/x"), "the present one's");
}
