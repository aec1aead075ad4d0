// Tables of what was measured, and their place in docs/BENCHMARKS.md.
import { readFileSync, writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";

const REPORT = new URL("../docs/BENCHMARKS.md", import.meta.url);

export const say = (text) => process.stderr.write(`\x1b[1m== ${text}\x1b[0m\n`);

function shown(value) {
  if (typeof value === "string") return value;
  if (value === undefined || Number.isNaN(value)) return "—";
  return value >= 100 || value === 0 ? value.toFixed(0) : value.toPrecision(3);
}

/** `what` says what was measured: title, goal, note and the names of the columns; numbers are rounded for reading. */
export function table({ title, goal, note, columns }, rows) {
  const line = (cells) => `| ${cells.join(" | ")} |`;
  return [
    `### ${title}`,
    `目标：${goal}。${note ?? ""}`,
    [line(["", ...columns]), line(["---", ...columns.map(() => "--:")]), ...rows.map((row) => line(row.map(shown)))].join("\n"),
  ].join("\n\n");
}

/** Writes the tables between the markers of this name, below a line on the machine. */
export function report(name, how, tables) {
  const machine = `${new Date().toISOString().slice(0, 10)}，${cpus().length} 核 ${cpus()[0].model}，${Math.round(totalmem() / 2 ** 30)} GiB 内存，${how}。`;
  const [before, after] = [`<!-- ${name}:begin -->`, `<!-- ${name}:end -->`];
  const text = readFileSync(REPORT, "utf8");
  const [head] = text.split(before);
  const [, tail] = text.split(after);
  writeFileSync(REPORT, `${head}${before}\n${machine}\n\n${tables.join("\n\n")}\n${after}${tail}`);
}
