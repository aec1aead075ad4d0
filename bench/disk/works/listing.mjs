import { curl, median, timed } from "../load.mjs";

export const title = "列出文件夹";
export const data = ["listing"];
export const goal = "不慢于 nginx 的 autoindex JSON；100 000 项时首字节 < 100 毫秒，内存 ≤ 空闲 + 40 MiB";
export const columns = ["1 000 项（毫秒）", "10 000 项", "100 000 项", "首字节，100 000 项", "CPU 秒，100 000 项", "峰值内存增加（MiB）"];

const SIZES = [1_000, 10_000, 100_000];

export async function run({ servers, rounds }) {
  const seen = new Map(servers.map((server) => [server, SIZES.map(() => [])]));
  for (let round = 0; round < rounds; round += 1) {
    for (const server of servers) {
      for (const [index, size] of SIZES.entries()) {
        server.forgetPeak();
        const before = server.memory();
        const { cpu, result } = await timed(server, () => curl(server.list(`/list-${size}/`), server.headers));
        seen.get(server)[index].push({ ...result, cpu, memory: server.memory("VmHWM") - before });
      }
    }
  }
  return servers.map((server) => {
    const runs = seen.get(server);
    const of = (index, field, factor = 1) => median(runs[index].map((run) => run[field])) * factor;
    return [server.name, ...SIZES.map((_, index) => of(index, "total", 1000)), of(2, "first", 1000), of(2, "cpu"), of(2, "memory")];
  });
}
