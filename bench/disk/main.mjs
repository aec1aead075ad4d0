// All kinds of work on all servers, and the table of what came of it.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { make } from "./data.mjs";
import { dufs, filebrowser, nginx, yunlab } from "./servers.mjs";

const KINDS = ["download", "requests", "uploads", "listing", "search", "archive", "checksums", "thumbnails"];
const ROUNDS = 3;
const REPORT = new URL("../../docs/BENCHMARKS.md", import.meta.url);

const [binary, bin, ...named] = process.argv.slice(2);
const kinds = named.length ? named : KINDS;
const works = await Promise.all(kinds.map(async (kind) => ({ kind, ...(await import(`./works/${kind}.mjs`)) })));

const say = (text) => process.stderr.write(`\x1b[1m== ${text}\x1b[0m\n`);
const work = mkdtempSync(join(process.env.TMPDIR ?? tmpdir(), "yunlab-bench-"));
const disk = join(work, "disk");
const root = join(disk, "share");
const servers = [];

try {
  say("准备数据");
  make(root, [...new Set(works.flatMap((one) => one.data))]);
  servers.push(await yunlab(binary, work, disk));
  for (const workers of [1, 2]) servers.push(await nginx(workers, work, root));
  servers.push(await dufs(bin, work, root), await filebrowser(bin, work, root));
  const tables = [];
  for (const one of works) {
    say(one.title);
    const rows = await one.run({ work, root, servers, rounds: ROUNDS, large: large(one) });
    tables.push(table(one, rows));
    console.log(tables.at(-1));
  }
  if (!named.length) report(tables);
} finally {
  for (const server of servers) await server.stop();
  rmSync(work, { recursive: true, force: true });
}

/** Half of the large file: what is uploaded. */
function large(one) {
  if (one.kind !== "uploads") return undefined;
  const file = join(work, "upload.bin");
  execFileSync("dd", [`if=${root}/large.bin`, `of=${file}`, "bs=1M", "count=1024", "status=none"]);
  return file;
}

function shown(value) {
  if (typeof value === "string") return value;
  if (value === undefined || Number.isNaN(value)) return "—";
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}

function table({ title, goal, note, columns }, rows) {
  const line = (cells) => `| ${cells.join(" | ")} |`;
  return [
    `### ${title}`,
    `目标：${goal}。${note ?? ""}`,
    [line(["", ...columns]), line(["---", ...columns.map(() => "--:")]), ...rows.map((row) => line(row.map(shown)))].join("\n"),
  ].join("\n\n");
}

function report(tables) {
  const machine = `${new Date().toISOString().slice(0, 10)}，${cpus().length} 核 ${cpus()[0].model}，${Math.round(totalmem() / 2 ** 30)} GiB 内存，${ROUNDS} 轮轮流，取中位数。`;
  const [before, after] = ["<!-- disk:begin -->", "<!-- disk:end -->"];
  const text = readFileSync(REPORT, "utf8");
  const [head] = text.split(before);
  const [, tail] = text.split(after);
  writeFileSync(REPORT, `${head}${before}\n${machine}\n\n${tables.join("\n\n")}\n${after}${tail}`);
}
