import { curl, median, timed } from "../load.mjs";

const GIB = 2;

export const title = "下载 2 GiB";
export const data = ["download"];
export const goal = "速度不低于 nginx，CPU 不超过 1.2 倍";
export const columns = ["GiB/秒，1 路", "CPU 秒/GiB，1 路", "GiB/秒，8 路", "CPU 秒/GiB，8 路"];

/** Each server in turn, so that a slow moment of the machine meets all of them. */
export async function run({ servers, rounds }) {
  const seen = new Map(servers.map((server) => [server, { one: [], eight: [] }]));
  for (let round = 0; round < rounds; round += 1) {
    for (const server of servers) {
      const get = () => curl(server.file("/large.bin"), server.headers);
      const one = await timed(server, get);
      const eight = await timed(server, () => Promise.all(Array.from({ length: 8 }, get)));
      seen.get(server).one.push(one);
      seen.get(server).eight.push(eight);
    }
  }
  return servers.map((server) => {
    const { one, eight } = seen.get(server);
    const rate = (runs, streams) => (GIB * streams) / median(runs.map((run) => run.seconds));
    const cpu = (runs, streams) => median(runs.map((run) => run.cpu)) / (GIB * streams);
    return [server.name, rate(one, 1), cpu(one, 1), rate(eight, 8), cpu(eight, 8)];
  });
}
