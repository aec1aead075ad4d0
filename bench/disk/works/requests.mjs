import { median, timed, wrk } from "../load.mjs";

export const title = "小请求，64 个长连接";
export const data = ["small", "download"];
export const goal = "4 KiB：不低于 nginx 的一半，CPU ≤ 25 微秒；64 KiB 随机范围：不低于 nginx 的 0.9";
export const columns = ["4 KiB/秒", "p99（毫秒）", "CPU（微秒）", "64 KiB 范围/秒", "p99（毫秒）", "CPU（微秒）"];

const RANGES = `math.randomseed(7)
request = function()
  local first = math.random(0, 32767) * 65536
  wrk.headers["Range"] = "bytes=" .. first .. "-" .. (first + 65535)
  return wrk.format()
end`;

export async function run({ work, servers, rounds }) {
  const seen = new Map(servers.map((server) => [server, { small: [], ranges: [] }]));
  for (let round = 0; round < rounds; round += 1) {
    for (const server of servers) {
      const load = async (path, script) => {
        const { cpu, result } = await timed(server, () => wrk(work, server.file(path), server.headers, { script }));
        return { ...result, micros: (cpu / result.requests) * 1e6 };
      };
      seen.get(server).small.push(await load("/4k.bin", ""));
      seen.get(server).ranges.push(await load("/large.bin", RANGES));
    }
  }
  return servers.map((server) => {
    const { small, ranges } = seen.get(server);
    const of = (runs, field) => median(runs.map((run) => run[field]));
    return [server.name, ...[small, ranges].flatMap((runs) => ["rate", "p99", "micros"].map((field) => of(runs, field)))];
  });
}
