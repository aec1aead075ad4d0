// What the portal adds to an engine, and how it does with many of them.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { median, timed, wrk } from "../disk/load.mjs";
import { yunlab } from "../disk/servers.mjs";
import { report, say, table } from "../report.mjs";
import { MemoryEngine } from "./engines.mjs";

const STARTS = 15;
const INSTANCES = 500;
const SERVERS = 200;
const CARDS = 8;
/** Seconds from one complete list to the next. */
const ROUND = 15;
const ROUNDS = 4;

const [binary, ...named] = process.argv.slice(2);
const work = mkdtempSync(join(process.env.TMPDIR ?? tmpdir(), "yl-bench-"));
const socket = process.env.DOCKER_SOCKET ?? "/var/run/docker.sock";
const engines = [];
// Each work adds the engines that it needs. One that the portal found by itself could not be added a second time.
process.env.YUNLAB_DOCKER_HOST = `unix://${join(work, "none.sock")}`;

const works = {
  start: {
    title: "从请求到可用的容器",
    goal: "比直接 docker run 最多多 150 毫秒",
    note: `同一个 Docker，轮流各 ${STARTS} 次，到容器里能执行命令为止。`,
    columns: ["毫秒（中位数）"],
    run: start,
  },
  reconcile: {
    title: `${INSTANCES} 个容器的核对`,
    goal: "越少越好",
    note: `${ROUND} 秒一轮，${ROUNDS} 轮的平均；包括每 5 秒一次的用量测量。容器引擎是模拟的。`,
    columns: ["CPU（毫秒/轮）", "对引擎的请求/轮"],
    run: reconcile,
  },
  many: {
    title: `${SERVERS} 台服务器，${SERVERS * CARDS} 张卡`,
    goal: "p99 在 50 毫秒以内",
    note: "容器引擎是模拟的；4 个连接，管理员的令牌。",
    columns: ["请求/秒", "p99（毫秒）"],
    run: many,
  },
};

class Api {
  constructor(server) {
    this.server = server;
  }

  async call(method, path, body) {
    const headers = { ...this.server.headers, "content-type": "application/json" };
    const answer = await fetch(`${this.server.origin}/api${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return text === "" ? undefined : JSON.parse(text);
  }

  async add(name, endpoint) {
    const { id } = await this.call("POST", "/servers", { name, endpoint, publicHost: "127.0.0.1", portRange: { from: 20_000, to: 29_999 } });
    return id;
  }

  async until(path, so) {
    for (;;) {
      const seen = await this.call("GET", path);
      if (so(seen)) return seen;
      await pause(5);
    }
  }

  /** The administrator may hold this many. */
  async raiseQuotas() {
    await this.call("PUT", "/users/instanceLimit/1", { instanceLimit: 2 * INSTANCES });
    await this.call("PUT", "/users/CPUPeriodQuota/1", { CPUPeriodQuota: 0 });
  }
}

const form = (server, image) => ({
  server, image, gpuCount: 0, cpuQuota: 20_000, memory: 128 << 20, shmSize: 64 << 20, ports: [], command: ["sleep", "3600"],
});

async function start({ api }) {
  const docker = (...words) => execFileSync("docker", ["-H", `unix://${socket}`, ...words], { encoding: "utf8" }).trim();
  const image = "yunlab-bench/busybox:1";
  const root = join(work, "image");
  mkdirSync(join(root, "bin"), { recursive: true });
  execFileSync("sh", ["-c", 'for name in $(busybox --list); do ln -s busybox "$0/bin/$name"; done && cp --remove-destination /bin/busybox "$0/bin"', root]);
  execFileSync("tar", ["cf", join(work, "image.tar"), "-C", root, "."]);
  docker("import", join(work, "image.tar"), image);
  const server = await api.add("docker", `unix://${socket}`);
  await api.until(`/servers/${server}`, ({ state }) => state === "online");
  const [ours, bare] = [[], []];
  try {
    for (let round = 0; round < STARTS; round += 1) {
      const begin = performance.now();
      const { id, name } = await api.call("POST", "/instances", form(server, image));
      await api.until(`/instances/${id}`, ({ state, stateReason }) => {
        if (state === "error") throw new Error(stateReason);
        return state === "running";
      });
      docker("exec", name, "true");
      ours.push(performance.now() - begin);
      await api.call("POST", `/instances/${id}/release`);
      await api.until(`/instances/${id}`, ({ state }) => state === "released");

      const before = performance.now();
      const container = docker("run", "-d", "--init", image, "sleep", "3600");
      docker("exec", container, "true");
      bare.push(performance.now() - before);
      docker("rm", "-f", container);
    }
  } finally {
    await api.call("DELETE", `/servers/${server}`).catch(() => {});
    docker("rmi", "-f", image);
  }
  const [one, other] = [median(ours), median(bare)];
  return [["YunLab", one], ["docker run", other], ["多出", one - other]];
}

async function reconcile({ api, server }) {
  const engine = await MemoryEngine.listen(work, "one");
  engines.push(engine);
  const id = await api.add("one", engine.endpoint);
  await api.until(`/servers/${id}`, ({ state }) => state === "online");
  await api.raiseQuotas();
  for (let made = 0; made < INSTANCES; made += 1) await api.call("POST", "/instances", form(id, "lab/busybox:1"));
  await api.until(`/servers/${id}`, () => [...engine.containers.values()].filter(({ State }) => State.Status === "running").length === INSTANCES);
  const asked = engine.asked;
  const { cpu } = await timed(server, () => pause(ROUNDS * ROUND * 1000));
  return [["YunLab", (cpu * 1000) / ROUNDS, (engine.asked - asked) / ROUNDS]];
}

async function many({ api, server }) {
  for (let number = 0; number < SERVERS; number += 1) {
    const engine = await MemoryEngine.listen(work, `m${number}`);
    engines.push(engine);
    const id = await api.add(`gpu-${String(number).padStart(3, "0")}`, engine.endpoint);
    for (let card = 0; card < CARDS; card += 1) {
      await api.call("POST", "/gpus", { server: id, model: "910B", deviceNodes: [`/dev/davinci${card}`] });
    }
  }
  await api.until("/servers?size=200&state=unreachable&q=gpu-", ({ total }) => total === 0);
  const rows = [];
  for (const path of ["/api/servers?size=200", "/api/dashboard", "/api/dashboard/gpus"]) {
    const { rate, p99 } = await wrk(work, server.origin + path, server.headers, { seconds: 10, connections: 4 });
    rows.push([`GET ${path}`, rate, p99]);
  }
  return rows;
}

let server;
try {
  const tables = [];
  for (const name of named.length ? named : Object.keys(works)) {
    const one = works[name];
    say(one.title);
    const place = join(work, name);
    mkdirSync(join(place, "disk"), { recursive: true });
    server = await yunlab(binary, place, join(place, "disk"));
    tables.push(table(one, await one.run({ server, api: new Api(server) })));
    console.log(tables.at(-1));
    await server.stop();
    server = undefined;
    for (const engine of engines.splice(0)) engine.stop();
  }
  if (!named.length) report("compute", "容器引擎在同一台机器上", tables);
} finally {
  await server?.stop();
  for (const engine of engines) engine.stop();
  rmSync(work, { recursive: true, force: true });
}
