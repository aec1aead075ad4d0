import { curl, median, shell, timed } from "../load.mjs";

export const title = "在 200 000 个文件中搜索";
export const data = ["search"];
export const goal = "第一个结果 < 30 毫秒，全部不慢于 find";
export const columns = ["第一个结果（毫秒）", "全部（毫秒）", "CPU 秒"];

export async function run({ root, servers, rounds }) {
  const [ours] = servers;
  const queries = [
    [ours, `${ours.origin}/disk/api/search/share/forest/?query=needle`, { ...ours.headers, accept: "application/x-ndjson" }],
    ...servers.filter(({ name }) => name === "dufs").map((server) => [server, `${server.origin}/forest/?q=needle&json`, {}]),
    ...servers
      .filter(({ name }) => name === "File Browser")
      .map((server) => [server, `${server.origin}/api/search/forest/?query=needle`, server.headers]),
  ];
  const seen = new Map(queries.map(([server]) => [server, []]));
  const found = [];
  for (let round = 0; round < rounds; round += 1) {
    for (const [server, address, headers] of queries) {
      const { cpu, result } = await timed(server, () => curl(address, headers));
      seen.get(server).push({ ...result, cpu });
    }
    found.push(await shell(`find ${root}/forest -name '*needle*'`));
  }
  const of = (runs, field, factor = 1) => median(runs.map((run) => run[field])) * factor;
  return [
    ...queries.map(([server]) => [server.name, of(seen.get(server), "first", 1000), of(seen.get(server), "total", 1000), of(seen.get(server), "cpu")]),
    ["find", undefined, of(found, "seconds", 1000), of(found, "cpu")],
  ];
}
