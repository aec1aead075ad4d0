//! Pictures made smaller.

use std::io::Cursor;
use std::process::Command;

use disk_core::rules::Rule;
use http::Method;
use image::{DynamicImage, GenericImageView, ImageFormat, Rgb, RgbImage, Rgba, RgbaImage};

use super::harness::{Answer, TestDisk};

/// Red in the upper left quarter, green elsewhere.
pub(super) fn picture(width: u32, height: u32) -> DynamicImage {
    let colour = |x, y| if x < width / 2 && y < height / 2 { [220, 10, 10] } else { [10, 200, 10] };
    RgbImage::from_fn(width, height, |x, y| Rgb(colour(x, y))).into()
}

pub(super) fn encoded(image: &DynamicImage, format: ImageFormat) -> Vec<u8> {
    let mut out = Cursor::new(Vec::new());
    image.write_to(&mut out, format).unwrap();
    out.into_inner()
}

pub(super) fn decoded(answer: &Answer) -> DynamicImage {
    let format = match answer.header("content-type") {
        "image/jpeg" => ImageFormat::Jpeg,
        "image/png" => ImageFormat::Png,
        other => panic!("{other}"),
    };
    image::load_from_memory_with_format(&answer.body, format).unwrap()
}

pub(super) fn is_red(image: &DynamicImage, x: u32, y: u32) -> bool {
    let [red, green, _, _] = image.get_pixel(x, y).0;
    red > 150 && green < 90
}

pub(super) async fn thumb(disk: &TestDisk, path: &str) -> Answer {
    disk.ann().get(&format!("/api/preview/thumb{path}")).await
}

#[tokio::test]
async fn s363_s364_every_format_gets_small_and_keeps_its_shape() {
    let disk = TestDisk::new().await;
    let formats = [
        ("jpg", ImageFormat::Jpeg),
        ("png", ImageFormat::Png),
        ("gif", ImageFormat::Gif),
        ("webp", ImageFormat::WebP),
        ("bmp", ImageFormat::Bmp),
        ("tiff", ImageFormat::Tiff),
    ];
    for (ending, format) in formats {
        disk.seed(&format!("home/ann/图 1.{ending}"), encoded(&picture(1200, 600), format));
        let path = format!("/home/%E5%9B%BE%201.{ending}");
        let small = decoded(&thumb(&disk, &path).await.expect(200));
        assert_eq!(small.dimensions(), (256, 256), "{ending}");
        assert!(is_red(&small, 60, 60) && !is_red(&small, 200, 60) && !is_red(&small, 60, 200), "{ending}");
        let whole = decoded(&disk.ann().get(&format!("/api/preview/small{path}")).await.expect(200));
        assert_eq!(whole.dimensions(), (384, 192), "{ending}");
        assert!(is_red(&whole, 180, 90) && !is_red(&whole, 200, 90), "{ending}");
        let big = decoded(&disk.ann().get(&format!("/api/preview/big{path}")).await.expect(200));
        assert_eq!(big.dimensions(), (1080, 540), "{ending}");
        assert!(is_red(&big, 500, 250) && !is_red(&big, 580, 250), "{ending}");
        // As clients of the original write it.
        disk.ann().get(&format!("/api/preview/thumb/{path}?inline=true&k=1")).await.expect(200);
    }
    disk.seed("home/ann/small.png", encoded(&picture(60, 40), ImageFormat::Png));
    assert_eq!(decoded(&thumb(&disk, "/home/small.png").await).dimensions(), (40, 40));
    assert_eq!(decoded(&disk.ann().get("/api/preview/big/home/small.png").await).dimensions(), (60, 40));
}

/// Photographs use another code path than small images.
#[tokio::test]
async fn photographs() {
    let disk = TestDisk::new().await;
    disk.seed("home/ann/photo.jpg", encoded(&picture(2800, 2100), ImageFormat::Jpeg));
    let small = decoded(&thumb(&disk, "/home/photo.jpg").await.expect(200));
    assert_eq!(small.dimensions(), (256, 256));
    assert!(is_red(&small, 120, 120) && !is_red(&small, 136, 120) && !is_red(&small, 120, 136));
}

/// A JPEG with this orientation in its EXIF.
fn oriented(image: &DynamicImage, orientation: u8) -> Vec<u8> {
    let jpeg = encoded(image, ImageFormat::Jpeg);
    let mut exif = b"\xFF\xE1\x00\x22Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0".to_vec();
    exif.extend([orientation, 0, 0, 0, 0, 0, 0]);
    [&jpeg[..2], &exif, &jpeg[2..]].concat()
}

#[tokio::test]
async fn pictures_stand_upright() {
    let disk = TestDisk::new().await;
    // Where the red quarter is to be seen.
    let corners =
        [(1, (0, 0)), (2, (1, 0)), (3, (1, 1)), (4, (0, 1)), (5, (0, 0)), (6, (1, 0)), (7, (1, 1)), (8, (0, 1))];
    for (orientation, corner) in corners {
        // Large ones use another code path, for which one orientation suffices.
        let sizes: &[_] =
            if orientation == 6 { &[("small", 400, 200), ("large", 2400, 2100)] } else { &[("small", 400, 200)] };
        for (name, width, height) in sizes.iter().copied() {
            let path = format!("home/ann/{name}{orientation}.jpg");
            disk.seed(&path, oriented(&picture(width, height), orientation));
            let small = decoded(&thumb(&disk, &format!("/home/{name}{orientation}.jpg")).await.expect(200));
            let side = small.width();
            let at = |corner: u32| side / 4 + corner * side / 2;
            for (x, y) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
                assert_eq!(is_red(&small, at(x), at(y)), (x, y) == corner, "{name} {orientation}: {x} {y}");
            }
        }
        let big = decoded(&disk.ann().get(&format!("/api/preview/big/home/small{orientation}.jpg")).await.expect(200));
        let expected = if orientation > 4 { (200, 400) } else { (400, 200) };
        assert_eq!(big.dimensions(), expected, "{orientation}");
    }
}

#[tokio::test]
async fn what_shines_through_goes_on_shining_through() {
    let disk = TestDisk::new().await;
    let clear = RgbaImage::from_fn(600, 600, |x, _| Rgba([200, 0, 0, if x < 300 { 0 } else { 255 }]));
    disk.seed("home/ann/clear.png", encoded(&clear.into(), ImageFormat::Png));
    let small = thumb(&disk, "/home/clear.png").await.expect(200);
    assert_eq!(small.header("content-type"), "image/png");
    assert_eq!((decoded(&small).get_pixel(10, 10).0[3], decoded(&small).get_pixel(250, 10).0[3]), (0, 255));
    let opaque = RgbaImage::from_pixel(600, 600, Rgba([200, 0, 0, 255]));
    disk.seed("home/ann/opaque.png", encoded(&opaque.into(), ImageFormat::Png));
    assert_eq!(thumb(&disk, "/home/opaque.png").await.expect(200).header("content-type"), "image/jpeg");
    let deep = image::ImageBuffer::from_pixel(300, 300, image::Luma([40_000_u16]));
    disk.seed("home/ann/deep.png", encoded(&DynamicImage::ImageLuma16(deep), ImageFormat::Png));
    assert_eq!(decoded(&thumb(&disk, "/home/deep.png").await.expect(200)).dimensions(), (256, 256));
}

#[tokio::test]
async fn headers_and_conditional_requests() {
    let disk = TestDisk::new().await;
    let path = disk.seed("home/ann/a.png", encoded(&picture(300, 300), ImageFormat::Png));
    let first = thumb(&disk, "/home/a.png").await.expect(200);
    assert_eq!(first.header("x-content-type-options"), "nosniff");
    assert_eq!(first.header("content-security-policy"), "sandbox; default-src 'none'");
    assert_eq!(first.header("cache-control"), "private, no-cache");
    assert!(first.header("last-modified").ends_with("GMT"));
    let keyed = thumb(&disk, "/home/a.png?k=1").await.expect(200);
    assert_eq!(keyed.header("cache-control"), "private, max-age=604800, immutable");
    let tag = first.header("etag").to_owned();
    let known = disk.ann().header("if-none-match", &tag).get("/api/preview/thumb/home/a.png").await.expect(304);
    assert!(known.body.is_empty());
    let head = disk.ann().send(Method::HEAD, "/api/preview/thumb/home/a.png", "").await.expect(200);
    assert!(head.body.is_empty() && head.header("etag") == tag);
    std::fs::write(path, encoded(&picture(40, 40), ImageFormat::Png)).unwrap();
    let second = disk.ann().header("if-none-match", &tag).get("/api/preview/thumb/home/a.png").await.expect(200);
    assert_eq!(decoded(&second).dimensions(), (40, 40));
}

#[tokio::test]
async fn refusals() {
    let disk = TestDisk::new().await;
    disk.seed("home/ann/a.txt", "text");
    disk.seed("home/ann/a.svg", "<svg xmlns='http://www.w3.org/2000/svg'><script>1</script></svg>");
    disk.seed("home/ann/fake.png", "text");
    disk.seed("home/ann/empty.png", "");
    let png = encoded(&picture(300, 300), ImageFormat::Png);
    disk.seed("home/ann/cut.png", &png[..png.len() / 2]);
    disk.seed("home/ann/good.png", &png);
    disk.seed("home/bob/good.png", &png);
    for (path, status) in [
        ("thumb/home/a.txt", 415),
        ("big/home/a.svg", 415),
        ("thumb/home/fake.png", 415),
        ("thumb/home/empty.png", 415),
        ("thumb/home/cut.png", 422),
        ("big/home/cut.png", 422),
        ("thumb/home/none.png", 404),
        ("thumb/home", 400),
        ("thumb/", 400),
        ("huge/home/good.png", 400),
        ("thumb/home//good.png", 400),
        ("thumb///home/good.png", 400),
        ("thumb/home/../../bob/good.png", 400),
        ("thumb/home/%2e%2e/bob/good.png", 400),
        ("thumb/bob/good.png", 404),
        ("thumb/.yunlab/thumbnails", 404),
    ] {
        let answer = disk.ann().get(&format!("/api/preview/{path}")).await;
        assert_eq!(answer.status, status, "{path}: {}", answer.text());
    }
    assert_eq!(thumb(&disk, "/home/cut.png").await.text(), "422 Unprocessable Entity (broken picture)\n");
    disk.anonymous().get("/api/preview/thumb/home/good.png").await.expect(401);
    let without = TestDisk::without(|may| may.download = false).await;
    without.seed("home/ann/good.png", &png);
    thumb(&without, "/home/good.png").await.expect(403);
    let rules = vec![Rule { path: "/home/secret".into(), ..Rule::default() }];
    let ruled = TestDisk::with(|config| config.settings.rules = rules).await;
    ruled.seed("home/ann/secret/good.png", &png);
    ruled.link("secret/good.png", "home/ann/alias.png");
    thumb(&ruled, "/home/secret/good.png").await.expect(403);
    thumb(&ruled, "/home/alias.png").await.expect(403);
}

/// A picture's size is judged before anything of it is decoded.
#[tokio::test]
async fn enormous_pictures_are_refused_unseen() {
    let disk = TestDisk::new().await;
    // The header of a picture of 10 001 × 10 000 with nothing behind it.
    let mut bitmap = b"BM\0\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0".to_vec();
    bitmap.extend(10_001_i32.to_le_bytes());
    bitmap.extend(10_000_i32.to_le_bytes());
    bitmap.extend(b"\x01\0\x18\0\0\0\0\0\0\0\0\0\x13\x0b\0\0\x13\x0b\0\0\0\0\0\0\0\0\0\0");
    disk.seed("home/ann/a.bmp", &bitmap);
    thumb(&disk, "/home/a.bmp").await.expect(413);
    disk.ann().get("/api/preview/big/home/a.bmp").await.expect(413);
    let file = std::fs::File::create(disk.real("home/ann/sparse.gif")).unwrap();
    std::io::Write::write_all(&mut &file, b"GIF89a").unwrap();
    file.set_len(200 * 1024 * 1024).unwrap();
    thumb(&disk, "/home/sparse.gif").await.expect(413);
}

#[tokio::test]
async fn what_was_made_is_kept_and_what_is_asked_for_at_once_is_made_once() {
    let mut disk = TestDisk::new().await;
    disk.seed("home/ann/a.png", encoded(&picture(900, 900), ImageFormat::Png));
    let asked: Vec<_> = (0..20).map(|_| disk.ann()).collect();
    let answers = asked.into_iter().map(|ann| async move { ann.get("/api/preview/thumb/home/a.png").await });
    for answer in futures_util::future::join_all(answers).await {
        answer.expect(200);
    }
    let kept = || -> Vec<_> {
        std::fs::read_dir(disk.real(".yunlab/thumbnails")).unwrap().map(|entry| entry.unwrap().path()).collect()
    };
    let names = kept();
    assert_eq!(names.len(), 1, "{names:?}");
    // The next process uses the files that it finds.
    let other = encoded(&picture(8, 8), ImageFormat::Jpeg);
    std::fs::write(&names[0], &other).unwrap();
    disk.reopen().await;
    assert_eq!(thumb(&disk, "/home/a.png").await.expect(200).body, other);
    assert!(disk.root().get("/api/resources/.yunlab/thumbnails").await.status == 404);
}

#[tokio::test]
async fn s187_s189_switched_off() {
    let disk = TestDisk::with(|config| config.settings.thumbnails = false).await;
    let png = encoded(&picture(2000, 100), ImageFormat::Png);
    disk.seed("home/ann/a.png", &png);
    thumb(&disk, "/home/a.png").await.expect(404);
    let big = disk.ann().get("/api/preview/big/home/a.png").await.expect(200);
    assert_eq!((big.body.as_slice(), big.header("content-type")), (png.as_slice(), "image/png"));
    assert!(big.header("content-security-policy").starts_with("sandbox"));
    // Previews alone.
    let disk = TestDisk::with(|config| config.settings.resize_preview = false).await;
    disk.seed("home/ann/a.png", &png);
    assert_ne!(thumb(&disk, "/home/a.png").await.expect(200).body, png);
    assert_eq!(disk.ann().get("/api/preview/big/home/a.png").await.expect(200).body, png);
}

/// Any content gets a response, and the process survives.
#[tokio::test]
async fn damaged_pictures_are_answered() {
    let disk = TestDisk::new().await;
    let mut seed = 0x2545_f491_4f6c_dd1d_u64;
    let mut random = move || {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed
    };
    let formats =
        [ImageFormat::Jpeg, ImageFormat::Png, ImageFormat::Gif, ImageFormat::WebP, ImageFormat::Bmp, ImageFormat::Tiff];
    for format in formats {
        let good = encoded(&picture(48, 40), format);
        for number in 0..40 {
            let mut bad = good.clone();
            for _ in 0..=number % 6 {
                let at = usize::try_from(random() % u64::try_from(bad.len()).unwrap()).unwrap();
                bad[at] = u8::try_from(random() % 256).unwrap();
            }
            disk.seed(&format!("home/ann/{number}"), bad);
            let answer = disk.ann().get(&format!("/api/preview/big/home/{number}")).await;
            assert!([200, 413, 415, 422].contains(&answer.status.as_u16()), "{format:?} {number}: {}", answer.text());
        }
    }
}

#[tokio::test]
async fn pipes_are_not_opened() {
    let disk = TestDisk::new().await;
    disk.seed("home/ann/x", "");
    assert!(Command::new("mkfifo").arg(disk.real("home/ann/a.jpg")).status().unwrap().success());
    thumb(&disk, "/home/a.jpg").await.expect(403);
}
