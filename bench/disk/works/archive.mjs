import { curl, median, shell, timed } from "../load.mjs";

export const title = "打包下载 1 GiB";
export const data = ["archive"];
export const goal = "tar ≥ 0.75，不压缩的 zip ≥ 0.6（tar c | cat 为 1）；内存 ≤ 空闲 + 16 MiB";
export const columns = ["tar（MiB/秒）", "zip（MiB/秒）", "CPU 秒，tar", "CPU 秒，zip", "峰值内存增加（MiB）"];

const of = (runs, field) => median(runs.map((run) => run[field]));

export async function run({ root, servers, rounds }) {
  const addresses = (server) => {
    if (server.name === "dufs") return { zip: `${server.origin}/tree?zip` };
    if (!["yunlab", "File Browser"].includes(server.name)) return {};
    return { tar: `${server.file("/tree/")}?algo=tar`, zip: `${server.file("/tree/")}?algo=zip` };
  };
  const asked = servers.map((server) => ({ server, addresses: addresses(server), tar: [], zip: [] })).filter((one) => one.addresses.zip);
  const piped = [];
  for (let round = 0; round < rounds; round += 1) {
    for (const one of asked) {
      for (const kind of Object.keys(one.addresses)) {
        one.server.forgetPeak();
        const before = one.server.memory();
        const run = await timed(one.server, () => curl(one.addresses[kind], one.server.headers));
        one[kind].push({ ...run, memory: one.server.memory("VmHWM") - before });
      }
    }
    piped.push(await shell(`tar c -C ${root} tree | cat`));
  }
  const rate = (runs) => (runs.length ? 1024 / of(runs, "seconds") : undefined);
  const cpu = (runs) => (runs.length ? of(runs, "cpu") : undefined);
  return [
    ...asked.map(({ server, tar, zip }) => [server.name, rate(tar), rate(zip), cpu(tar), cpu(zip), of([...tar, ...zip], "memory")]),
    ["tar c | cat", rate(piped), undefined, cpu(piped), undefined, undefined],
  ];
}
