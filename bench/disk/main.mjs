// All kinds of work on all servers, and the table of what came of it.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { report, say, table } from "../report.mjs";
import { make } from "./data.mjs";
import { Failed } from "./load.mjs";
import { launch } from "./servers.mjs";

const KINDS = ["download", "requests", "uploads", "listing", "search", "find", "archive", "checksums", "thumbnails"];
const ROUNDS = 3;

const [binary, bin, ...named] = process.argv.slice(2);
const kinds = named.length ? named : KINDS;
const works = await Promise.all(kinds.map(async (kind) => ({ kind, ...(await import(`./works/${kind}.mjs`)) })));

const work = mkdtempSync(join(process.env.TMPDIR ?? tmpdir(), "yunlab-bench-"));
const disk = join(work, "disk");
const root = join(disk, "share");
const servers = [];

/** The rows of one kind of work. A peer that fails is left out and named; a failure of ours ends everything. */
async function measure(one, peers, failed = []) {
  try {
    const rows = await one.run({ binary, bin, work, root, servers: peers, rounds: ROUNDS });
    return [...rows, ...failed.map((name) => [name, ...one.columns.map(() => "失败")])];
  } catch (error) {
    if (!(error instanceof Failed) || error.server === peers[0].name) throw error;
    say(`${error.message}，不再测量它`);
    return measure(one, peers.filter((peer) => peer.name !== error.server), [...failed, error.server]);
  }
}

try {
  say("准备数据");
  make(root, [...new Set(works.flatMap((one) => one.data))]);
  for await (const server of launch(binary, bin, work, disk)) servers.push(server);
  const tables = [];
  for (const one of works) {
    say(one.title);
    tables.push(table(one, await measure(one, servers)));
    console.log(tables.at(-1));
  }
  if (!named.length) report("disk", `${ROUNDS} 轮轮流，取中位数`, tables);
} finally {
  for (const server of servers) await server.stop();
  rmSync(work, { recursive: true, force: true });
}
