import { curl, timed } from "../load.mjs";

export const title = "边输入边查找（Ctrl+K），200 000 个文件，500 个用户";
export const data = ["search"];
export const goal = "p95 ≤ 100 毫秒";
export const columns = ["第一次（毫秒）", "p95（毫秒）", "CPU 毫秒/次"];

const CALLS = 200;
const PEOPLE = 500;

const p95 = (values) => [...values].sort((a, b) => a - b)[Math.ceil(values.length * 0.95) - 1];

/** Words as they are typed: some fit nearly everything, some nothing. */
const words = ["n", "ne", "needle", "file-9", "run-3 file", "step-1999", "zzz", "log", "needle run-7", "步"];

async function people({ origin, headers }) {
  const form = (n) => ({ username: `person${n}`, name: `张${n}`, password: "bench2026" });
  for (let n = 0; n < PEOPLE; n += 1) {
    const answer = await fetch(`${origin}/api/users`, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify(form(n)),
    });
    if (!answer.ok) throw new Error(`POST /api/users: ${answer.status}`);
  }
}

async function typed(server, path) {
  const ask = (q) => curl(`${server.origin}${path}?q=${encodeURIComponent(q)}`, server.headers);
  const first = await ask(words[2]);
  const { cpu, result } = await timed(server, async () => {
    const seen = [];
    for (let call = 0; call < CALLS; call += 1) seen.push((await ask(words[call % words.length])).total * 1000);
    return seen;
  });
  return [first.total * 1000, p95(result), (cpu * 1000) / CALLS];
}

export async function run({ servers: [ours] }) {
  await people(ours);
  return [
    ["网盘文件", ...(await typed(ours, "/disk/api/find"))],
    ["平台的其他对象", ...(await typed(ours, "/api/find"))],
  ];
}
