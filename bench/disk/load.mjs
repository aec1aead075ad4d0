// Running clients and taking their time.
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const now = () => performance.now() / 1000;

export const median = (values) => {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  return sorted.length % 2 ? sorted[Math.floor(middle)] : (sorted[middle - 1] + sorted[middle]) / 2;
};

const headerArguments = (headers) => Object.entries(headers).flatMap(([name, value]) => ["-H", `${name}: ${value}`]);

/** curl, with what it says of its time: seconds to the first byte and altogether. */
export async function curl(url, headers = {}, extra = []) {
  const { stdout } = await run("curl", ["-sS", "--fail", "-o", "/dev/null", "-w", "%{time_starttransfer} %{time_total}", ...headerArguments(headers), ...extra, url]);
  const [first, total] = stdout.split(" ").map(Number);
  return { first, total };
}

/** A server did not do what was asked of it. */
export class Failed extends Error {
  constructor(server, cause) {
    super(`${server.name}: ${cause.message}`, { cause });
    this.server = server.name;
  }
}

/**
 * Does something and says how long it took on the clock, and what it cost the server's CPU.
 * @throws {Failed} when the server does not do it.
 */
export async function timed(server, work) {
  const cpu = server?.cpu() ?? 0;
  const begin = now();
  const result = await work().catch((error) => {
    throw server ? new Failed(server, error) : error;
  });
  return { seconds: now() - begin, cpu: (server?.cpu() ?? 0) - cpu, result };
}

/** The clock's and the CPU's seconds of a shell command. */
export async function shell(command) {
  const { stderr } = await run("bash", ["-c", `TIMEFORMAT='%R %U %S'; time { ${command} ; } >/dev/null 2>&1`]);
  const [seconds, user, system] = stderr.trim().split(" ").map(Number);
  return { seconds, cpu: user + system };
}

/** wrk with a script of its own; requests a second, requests altogether, p99 in milliseconds. */
export async function wrk(work, url, headers, { seconds = 5, connections = 64, script = "" } = {}) {
  const file = join(work, "load.lua");
  writeFileSync(file, script);
  const { stdout } = await run("wrk", ["-t2", `-c${connections}`, `-d${seconds}s`, "--latency", ...headerArguments(headers), "-s", file, url]);
  if (/Non-2xx|Socket errors/.test(stdout)) throw new Error(`${url}: ${stdout}`);
  const [, number, unit] = /99%\s+([\d.]+)(us|ms|s)/.exec(stdout);
  return {
    rate: Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)[1]),
    requests: Number(/(\d+) requests in/.exec(stdout)[1]),
    p99: Number(number) * { us: 0.001, ms: 1, s: 1000 }[unit],
  };
}
