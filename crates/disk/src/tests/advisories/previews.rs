//! Flaws of previews.

use std::time::{Duration, SystemTime};

use image::{ImageFormat, Rgb, RgbImage};

use crate::tests::harness::TestDisk;
use crate::tests::preview::{decoded, encoded, is_red, picture, thumb};

/// Unreported (7): the original's cache is keyed by the viewer's own path, and shows one person another's images.
#[tokio::test]
async fn trap_7_nobody_sees_anothers_picture_from_the_cache() {
    let disk = TestDisk::new().await;
    let at = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000);
    let bitmap = |red| encoded(&RgbImage::from_pixel(64, 64, Rgb([red, 0, 0])).into(), ImageFormat::Bmp);
    for (name, red) in [("ann", 255), ("bob", 0)] {
        let path = disk.seed(&format!("home/{name}/a.bmp"), bitmap(red));
        std::fs::File::options().write(true).open(path).unwrap().set_modified(at).unwrap();
    }
    let anns = thumb(&disk, "/home/a.bmp").await.expect(200);
    let bobs = disk.bob().get("/api/preview/thumb/home/a.bmp").await.expect(200);
    assert!(is_red(&decoded(&anns), 5, 5) && !is_red(&decoded(&bobs), 5, 5));
}

/// Unreported (9): an undecodable file is answered as an empty image.
#[tokio::test]
async fn trap_9_what_is_no_picture_is_no_empty_answer() {
    let disk = TestDisk::new().await;
    let whole = encoded(&picture(300, 300), ImageFormat::Png);
    let contents = [&b""[..], b"no picture", &whole[..20], &whole[..whole.len() / 2]];
    for (number, content) in contents.into_iter().enumerate() {
        disk.seed(&format!("home/ann/{number}.png"), content);
        for size in ["thumb", "big"] {
            let answer = disk.ann().get(&format!("/api/preview/{size}/home/{number}.png")).await;
            assert!([415, 422].contains(&answer.status.as_u16()), "{number} {size}: {}", answer.status);
            assert!(answer.text().starts_with(answer.status.as_str()), "{number} {size}: {}", answer.text());
        }
    }
}
