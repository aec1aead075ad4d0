// All kinds of work in both products' pages, and the tables of what came of it.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { launch, signedIn } from "../browser.mjs";
import { make } from "../disk/data.mjs";
import { filebrowser, PASSWORD, yunlab } from "../disk/servers.mjs";
import { report, say, table } from "../report.mjs";
import { filebrowserSite, yunlabSite } from "./sites.mjs";

const KINDS = ["scripts", "opening", "scrolling", "selecting", "memory", "uploading"];
const ROUNDS = 3;
/** What takes longer hangs. */
const PATIENCE = 20 * 60_000;

const [binary, bin, ...named] = process.argv.slice(2);
const kinds = named.length ? named : KINDS;
const works = await Promise.all(kinds.map((kind) => import(`./works/${kind}.mjs`)));

const work = mkdtempSync(join(process.env.TMPDIR ?? tmpdir(), "yunlab-bench-"));
const disk = join(work, "disk");
const root = join(disk, "share");
const servers = [];
let browser;

/** The table of one kind of work, or nothing: what fails must not take the others' results along. */
async function measured(one, given) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not done after ${PATIENCE / 60_000} minutes`)), PATIENCE);
  });
  try {
    return table(one, await Promise.race([one.run(given), late]));
  } catch (error) {
    console.error(`${one.title}：`, error);
    process.exitCode = 1;
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}

try {
  say("准备数据");
  make(root, [...new Set(works.flatMap((one) => one.data))]);
  servers.push(await yunlab(binary, work, disk), await filebrowser(bin, work, root, "filebrowser-pages"));
  const [own, peer] = servers;
  browser = await launch();
  const sites = [yunlabSite(own, await signedIn(browser, own.origin, "admin", PASSWORD)), filebrowserSite(peer)];
  const tables = [];
  for (const one of works) {
    say(one.title);
    const made = await measured(one, { browser, sites, work, root, rounds: ROUNDS });
    if (made) tables.push(made);
    console.log(made ?? "");
  }
  if (!named.length) report("web", `Chromium ${browser.version()}，${ROUNDS} 轮轮流，取中位数`, tables);
} finally {
  await browser?.close();
  for (const server of servers) await server.stop();
  rmSync(work, { recursive: true, force: true });
}
