// What the bench works on: made once for a run, from a seeded generator, below one folder.
import { execFileSync } from "node:child_process";
import { closeSync, mkdirSync, openSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";

const MIB = 1024 * 1024;

/** Bytes that do not compress, the same in each run (xorshift). */
function noise(size, seed) {
  const words = new Uint32Array(size / 4);
  let state = seed;
  for (let at = 0; at < words.length; at += 1) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    words[at] = state;
  }
  return Buffer.from(words.buffer);
}

function large(path, mebibytes) {
  const file = openSync(path, "w");
  for (let n = 1; n <= mebibytes / 16; n += 1) writeSync(file, noise(16 * MIB, n));
  closeSync(file);
}

/** A folder with so many files of a few bytes. */
function many(folder, count) {
  mkdirSync(folder, { recursive: true });
  for (let n = 0; n < count; n += 1) writeFileSync(join(folder, `样本 ${n}.txt`), `${n}\n`);
}

/** 1 GiB in 1 024 files of 1 MiB, in 32 folders. */
function tree(folder) {
  for (let n = 0; n < 1024; n += 1) {
    const below = join(folder, `part-${n % 32}`);
    mkdirSync(below, { recursive: true });
    writeFileSync(join(below, `${n}.bin`), noise(MIB, n + 1));
  }
}

/** 200 000 files in 2 000 folders; one in a thousand has the word that is searched for. */
function forest(folder) {
  for (let outer = 0; outer < 2000; outer += 1) {
    const below = join(folder, `run-${outer % 20}`, `step-${outer}`);
    mkdirSync(below, { recursive: true });
    for (let n = 0; n < 100; n += 1) writeFileSync(join(below, n === 0 && outer % 10 === 0 ? `needle-${outer}.log` : `file-${n}.log`), "");
  }
}

/** Photographs as a camera makes them, as far as size and detail go: 4000 × 3000, JPEG at quality 90. */
function photographs(folder, count) {
  mkdirSync(folder, { recursive: true });
  const vips = (...args) => execFileSync("vips", args, { stdio: "ignore" });
  const raw = (name) => join(folder, `${name}.v`);
  for (let n = 0; n < count; n += 1) {
    vips("perlin", raw("shape"), "4000", "3000", "--cell-size", "200", "--seed", String(n));
    vips("gaussnoise", raw("grain"), "4000", "3000", "--sigma", "6", "--mean", "0", "--seed", String(n));
    vips("linear", raw("shape"), raw("light"), "100", "128");
    vips("add", raw("light"), raw("grain"), raw("band"));
    vips("bandjoin", `${raw("band")} ${raw("light")} ${raw("band")}`, raw("all"));
    vips("cast", raw("all"), raw("bytes"), "uchar");
    vips("copy", raw("bytes"), raw("srgb"), "--interpretation", "srgb");
    vips("jpegsave", raw("srgb"), join(folder, `${n}.jpg`), "--Q", "90");
  }
  for (const name of ["shape", "grain", "light", "band", "all", "bytes", "srgb"]) execFileSync("rm", ["-f", raw(name)]);
}

const MAKERS = {
  pages: (root) => [100, 10_000, 100_000].forEach((count) => many(join(root, `list-${count}`), count)),
  folders: (root) => Array.from({ length: 50 }, (_, n) => many(join(root, "folders", `folder-${n}`), 100)),
  download: (root) => large(join(root, "large.bin"), 2048),
  small: (root) => writeFileSync(join(root, "4k.bin"), noise(4096, 7)),
  listing: (root) => [1_000, 10_000, 100_000].forEach((count) => many(join(root, `list-${count}`), count)),
  search: (root) => forest(join(root, "forest")),
  archive: (root) => tree(join(root, "tree")),
  thumbnails: (root) => photographs(join(root, "photos"), 32),
};

/** Makes what these kinds of work need below `root`. */
export function make(root, kinds) {
  mkdirSync(root, { recursive: true });
  writeFileSync(join(root, "small.bin"), "ready\n");
  for (const kind of kinds) MAKERS[kind](root);
}
