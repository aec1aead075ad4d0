import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { Agent, request } from "node:http";
import { join } from "node:path";
import { bare } from "../bare.mjs";
import { make } from "../data.mjs";
import { curl, median, shell, timed } from "../load.mjs";
import { launch } from "../servers.mjs";

export const title = "上传";
export const data = ["download"];
export const goal = "1 GiB：不低于 nginx 加 sync 的 0.9，内存 ≤ 空闲 + 16 MiB；2 000 × 16 KiB：受 fsync 限制";
export const columns = ["1 GiB，MiB/秒", "CPU 秒", "峰值内存增加（MiB）", "16 KiB 文件/秒，落盘", "16 KiB 文件/秒，不落盘"];
export const note =
  "云实验室在回答之前已经 fsync；其他程序不保证落盘，它们的 1 GiB 用时包括随后的 sync，小文件则另加一次 sync。“不落盘”是在内存文件系统（tmpfs）上，那里 fsync 不费时间。最后一行不经过网络：16 个线程只做写入、fsync、改名、再 fsync 文件夹这几个系统调用，也就是内核和磁盘给得出的速度。";

const FILES = 2000;
const CLIENTS = 16;
const BYTES = 16 * 1024;

/** So many small files from so many clients, each name once. */
function small(server, round) {
  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
  const content = Buffer.alloc(BYTES, 5);
  let next = 0;
  const one = (n) =>
    new Promise((resolve, reject) => {
      const [method, address] = server.upload(`/up-${encodeURIComponent(server.name)}-${round}/${n}.bin`);
      const sent = request(address, { method, agent, headers: { ...server.headers, "content-length": content.length } }, (answer) => {
        answer.resume();
        answer.on("end", () => (answer.statusCode < 300 ? resolve() : reject(new Error(`${server.name}: ${answer.statusCode}`))));
      });
      sent.on("error", reject);
      sent.end(content);
    });
  const client = async () => {
    while (next < FILES) await one(next++);
  };
  return Promise.all(Array.from({ length: CLIENTS }, client)).finally(() => agent.destroy());
}

/** Half of the large file: what is uploaded. */
function half(work, root) {
  const file = join(work, "upload.bin");
  execFileSync("dd", [`if=${root}/large.bin`, `of=${file}`, "bs=1M", "count=1024", "status=none"]);
  return file;
}

/** The small files where nothing outlasts the machine: seconds for each server named, then for the system calls alone. */
async function inMemory(binary, bin, names, rounds) {
  const work = mkdtempSync("/dev/shm/yunlab-bench-");
  const root = join(work, "disk", "share");
  const servers = [];
  try {
    make(root, []);
    for await (const server of launch(binary, bin, work, join(work, "disk"))) servers.push(server);
    const measured = servers.filter((server) => names.includes(server.name));
    const seen = [...measured, "bare"].map(() => []);
    for (let round = 0; round < rounds; round += 1) {
      for (const [index, server] of measured.entries()) seen[index].push((await timed(server, () => small(server, round))).seconds);
      seen.at(-1).push(await bare(join(work, `bare-${round}`), { threads: CLIENTS, files: FILES, bytes: BYTES }));
    }
    return seen.map(median);
  } finally {
    for (const server of servers) await server.stop();
    rmSync(work, { recursive: true, force: true });
  }
}

export async function run({ binary, bin, work, root, servers, rounds }) {
  const large = half(work, root);
  const seen = new Map(servers.map((server) => [server, { large: [], small: [] }]));
  const alone = [];
  for (let round = 0; round < rounds; round += 1) {
    for (const server of servers) {
      const durable = server.name === "yunlab" ? () => undefined : () => shell("sync");
      await shell("sync");
      server.forgetPeak();
      const before = server.memory();
      const name = `big-${servers.indexOf(server)}-${round}.bin`;
      const [method, address] = server.upload(`/${name}`);
      const big = await timed(server, async () => {
        await curl(address, { ...server.headers, expect: "" }, ["-X", method, "-T", large]);
        await durable();
      });
      seen.get(server).large.push({ ...big, memory: server.memory("VmHWM") - before });
      rmSync(join(root, name)); // a gigabyte for each server and round is more room than many machines have
      await shell("sync");
      const files = await timed(server, async () => {
        await small(server, round);
        await durable();
      });
      seen.get(server).small.push(files);
    }
    await shell("sync");
    alone.push(await bare(join(work, `bare-${round}`), { threads: CLIENTS, files: FILES, bytes: BYTES }));
  }
  const forgotten = await inMemory(
    binary,
    bin,
    servers.map((server) => server.name),
    rounds,
  );
  const seconds = (runs) => median(runs.map((run) => run.seconds));
  return [
    ...servers.map((server, index) => {
      const { large: big, small: files } = seen.get(server);
      const [cpu, memory] = ["cpu", "memory"].map((field) => median(big.map((run) => run[field])));
      return [server.name, 1024 / seconds(big), cpu, memory, FILES / seconds(files), FILES / forgotten[index]];
    }),
    ["系统调用", undefined, undefined, undefined, FILES / median(alone), FILES / forgotten.at(-1)],
  ];
}
