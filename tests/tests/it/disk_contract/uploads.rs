//! Uploads that can be resumed (tus).

use super::row::At::EndOf;
use super::row::Who::{Ann, Bob, Eve};
use super::row::{Row, row};

const PIECE: &str = "application/offset+octet-stream";
/// SHA-1 of twenty zero bytes of nothing: of no piece.
const WRONG: &str = "sha1 AAAAAAAAAAAAAAAAAAAAAAAAAAA=";

pub(super) fn rows() -> Vec<Row> {
    [creating(), adding(), asking(), ending()].concat()
}

fn creating() -> Vec<Row> {
    let create = |who, path, length| row("createUpload", who, path).with("upload-length", length);
    vec![
        row("getTusCapabilities", Ann, "home/u")
            .gives(204)
            .header("tus-version", "1.0.0")
            .header("tus-extension", "creation*")
            .header("tus-checksum-algorithm", "sha1*")
            .header("tus-max-size", "17592186044416"),
        row("getTusCapabilities", Eve, "home/u").gives(204),
        create(Ann, "home/u", "6")
            .with("upload-metadata", "filename dQ==")
            .gives(201)
            .header("location", "/disk/api/tus/home/u?upload=*")
            .header("upload-offset", "0")
            .header("upload-expires", "*")
            .keeps("upload", EndOf("location")),
        // With all of it at once.
        create(Ann, "home/at-once", "3")
            .with("content-type", PIECE)
            .sends("abc")
            .gives(201)
            .header("upload-offset", "3")
            .header("etag", "\"*"),
        create(Ann, "home/at-once", "3").gives(409),
        create(Ann, "home/folder", "3").gives(409),
        create(Ann, "home/v", "3").with("tus-resumable", "0.2.2").gives(412).header("tus-version", "1.0.0"),
        create(Ann, "home/v", "17592186044417").gives(413),
        create(Ann, "home/v", "2").with("content-type", PIECE).sends("abc").gives(413),
        create(Ann, "home/v", "3").with("content-type", "text/plain").sends("abc").gives(415),
        create(Ann, "home/v", "3").with("content-type", PIECE).with("upload-checksum", WRONG).sends("abc").gives(460),
        create(Ann, "home/v", "-1").gives(400),
        create(Bob, "home/v", "2097152").gives(507),
        create(Eve, "home/v", "3").gives(403),
    ]
}

fn adding() -> Vec<Row> {
    let add = |who, path, at| {
        row("appendUpload", who, path).with("upload-offset", at).with("content-type", PIECE).sends("abc")
    };
    vec![
        add(Ann, "home/u?upload=<upload>", "0").gives(204).header("upload-offset", "3").header("upload-expires", "*"),
        add(Ann, "home/u?upload=<upload>", "0").gives(409),
        add(Ann, "home/u?upload=<upload>", "3").with("tus-resumable", "0.2.2").gives(412),
        add(Ann, "home/u?upload=<upload>", "3").sends("abcd").gives(413),
        add(Ann, "home/u?upload=<upload>", "3").with("upload-checksum", WRONG).gives(460),
        row("appendUpload", Ann, "home/u?upload=<upload>")
            .with("upload-offset", "3")
            .with("content-type", "text/plain")
            .sends("abc")
            .gives(415),
        add(Bob, "home/u?upload=<upload>", "3").gives(404),
        add(Eve, "home/u?upload=<upload>", "3").gives(403),
    ]
}

fn asking() -> Vec<Row> {
    let ask = |who, path| row("getUpload", who, path);
    vec![
        ask(Ann, "home/u?upload=<upload>")
            .gives(200)
            .header("upload-offset", "3")
            .header("upload-length", "6")
            .header("upload-metadata", "filename dQ==")
            .header("upload-expires", "*")
            .header("cache-control", "no-store"),
        ask(Ann, "home/u?upload=<upload>").with("tus-resumable", "0.2.2").gives(412),
        ask(Bob, "home/u?upload=<upload>").gives(404),
        ask(Eve, "home/u?upload=<upload>").gives(403),
        // All bytes have arrived, but the name has been taken meanwhile.
        row("createUpload", Ann, "home/late").with("upload-length", "3").gives(201).keeps("late", EndOf("location")),
        row("createResource", Ann, "home/late").sends("first").gives(200),
        row("appendUpload", Ann, "home/late?upload=<late>")
            .with("upload-offset", "0")
            .with("content-type", PIECE)
            .sends("abc")
            .gives(409),
        ask(Ann, "home/late?upload=<late>").gives(409),
        row("getResource", Ann, "home/late").gives(200).holds("/content", "first"),
    ]
}

fn ending() -> Vec<Row> {
    let end = |who, path| row("terminateUpload", who, path);
    vec![
        end(Ann, "home/u?upload=<upload>").with("tus-resumable", "0.2.2").gives(412),
        end(Bob, "home/u?upload=<upload>").gives(404),
        end(Eve, "home/u?upload=<upload>").gives(403),
        end(Ann, "home/u?upload=<upload>").gives(204).says(""),
        end(Ann, "home/u?upload=<upload>").gives(404),
        row("getResource", Ann, "home/u").gives(404),
    ]
}
