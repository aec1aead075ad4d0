import { Agent, request } from "node:http";
import { curl, median, shell, timed } from "../load.mjs";

export const title = "上传";
export const data = ["download"];
export const goal = "1 GiB：不低于 nginx 加 sync 的 0.9，内存 ≤ 空闲 + 16 MiB；2 000 × 16 KiB：受 fsync 限制";
export const columns = ["1 GiB，MiB/秒", "CPU 秒", "峰值内存增加（MiB）", "16 KiB 文件/秒"];
export const note = "云实验室在回答之前已经 fsync；其他程序不保证落盘，它们的 1 GiB 用时包括随后的 sync，小文件则另加一次 sync。";

const FILES = 2000;
const CLIENTS = 16;

/** So many small files from so many clients, each name once. */
function small(server, round) {
  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
  const content = Buffer.alloc(16 * 1024, 5);
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

export async function run({ servers, rounds, large }) {
  const seen = new Map(servers.map((server) => [server, { large: [], small: [] }]));
  for (let round = 0; round < rounds; round += 1) {
    for (const server of servers) {
      const durable = server.name === "yunlab" ? () => undefined : () => shell("sync");
      await shell("sync");
      server.forgetPeak();
      const before = server.memory();
      const [method, address] = server.upload(`/big-${encodeURIComponent(server.name)}-${round}.bin`);
      const big = await timed(server, async () => {
        await curl(address, { ...server.headers, expect: "" }, ["-X", method, "-T", large]);
        await durable();
      });
      seen.get(server).large.push({ ...big, memory: server.memory("VmHWM") - before });
      await shell("sync");
      const files = await timed(server, async () => {
        await small(server, round);
        await durable();
      });
      seen.get(server).small.push(files);
    }
  }
  return servers.map((server) => {
    const { large: big, small: files } = seen.get(server);
    const seconds = (runs) => median(runs.map((run) => run.seconds));
    return [server.name, 1024 / seconds(big), median(big.map((run) => run.cpu)), median(big.map((run) => run.memory)), FILES / seconds(files)];
  });
}
