// The manual and the pages call the check of a server 检测 (A25).
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const repository = join(import.meta.dirname, "../../../..");

it("A25 a server's check has one name on its pages and in the manual", () => {
  const pages = readdirSync(import.meta.dirname).filter(
    (name) => name.endsWith(".tsx") && !name.includes(".test."),
  );
  expect(pages.length).toBeGreaterThan(10);
  const other = pages.filter((name) =>
    readFileSync(join(import.meta.dirname, name), "utf8").includes("检查"),
  );
  expect(other).toEqual([]);
  const manual = readFileSync(join(repository, "docs/ADMIN.md"), "utf8");
  expect(manual).toContain("“检测”逐项说明哪些能力可用，哪些不可用");
  expect(manual).not.toMatch(/[“「]检查[”」]/);
});
