// All kinds of work on all servers, and the table of what came of it.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { report, say, table } from "../report.mjs";
import { make } from "./data.mjs";
import { launch } from "./servers.mjs";

const KINDS = ["download", "requests", "uploads", "listing", "search", "archive", "checksums", "thumbnails"];
const ROUNDS = 3;

const [binary, bin, ...named] = process.argv.slice(2);
const kinds = named.length ? named : KINDS;
const works = await Promise.all(kinds.map(async (kind) => ({ kind, ...(await import(`./works/${kind}.mjs`)) })));

const work = mkdtempSync(join(process.env.TMPDIR ?? tmpdir(), "yunlab-bench-"));
const disk = join(work, "disk");
const root = join(disk, "share");
const servers = [];

try {
  say("准备数据");
  make(root, [...new Set(works.flatMap((one) => one.data))]);
  for await (const server of launch(binary, bin, work, disk)) servers.push(server);
  const tables = [];
  for (const one of works) {
    say(one.title);
    const rows = await one.run({ binary, bin, work, root, servers, rounds: ROUNDS });
    tables.push(table(one, rows));
    console.log(tables.at(-1));
  }
  if (!named.length) report("disk", `${ROUNDS} 轮轮流，取中位数`, tables);
} finally {
  for (const server of servers) await server.stop();
  rmSync(work, { recursive: true, force: true });
}
