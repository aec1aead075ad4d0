import { describe, expect, it, vi } from "vitest";
import { numbered, type Present, withExisting } from "./existing";
import { measured } from "./measure";
import type { Picked } from "./picked";
import { planUpload } from "./plan";

const inside = (...names: string[]): Picked => ({ names, file: new File(["x"], names.at(-1) ?? "") });
const planOf = (...picked: Picked[]) => {
  let id = 0;
  return planUpload(picked.map(measured), "/home/", () => `id${id++}`);
};
const present = (name: string, isDir = false): Present => ({
  name,
  isDir,
  size: 7,
  modified: "2026-11-20T10:00:00Z",
});
const folders: Record<string, Present[]> = {
  "/home/": [present("a.txt"), present("a(1).txt"), present("top", true), present("other", true)],
  "/home/top/": [present("b.txt"), present("deep", true)],
  "/home/top/deep/": [],
};

describe("what is there already", () => {
  it("is found in the target folder and in those below it that are there", async () => {
    const list = vi.fn(async (folder: string) => folders[folder] ?? null);
    const plan = planOf(
      inside("a.txt"),
      inside("new.txt"),
      inside("top", "b.txt"),
      inside("top", "deep", "c.txt"),
      inside("fresh", "a.txt"),
    );
    const { jobs } = await withExisting(plan, "/home/", list);
    expect(
      jobs.filter(({ existing }) => existing).map(({ path, existing }) => [path, existing?.spare]),
    ).toEqual([
      ["/home/a.txt", "/home/a(2).txt"],
      ["/home/top/b.txt", "/home/top/b(1).txt"],
    ]);
    expect(list.mock.calls.flat()).toEqual(["/home/", "/home/top/", "/home/top/deep/"]);
  });

  it("a folder of that name is no file that could be replaced", async () => {
    const { jobs } = await withExisting(
      planOf(inside("top")),
      "/home/",
      async (folder) => folders[folder] ?? null,
    );
    expect(jobs[0]?.existing).toBeNull();
  });

  it("a folder that can't be read is left to the server", async () => {
    const { jobs } = await withExisting(planOf(inside("a.txt")), "/home/", async () => null);
    expect(jobs[0]?.existing).toBeNull();
  });

  it.each([
    ["/home/a.txt", "/home/a(1).txt"],
    ["/home/.bashrc", "/home/.bashrc(1)"],
    ["/home/v1.2/readme", "/home/v1.2/readme(1)"],
  ])("numbers %s", (path, expected) => expect(numbered(path, 1)).toBe(expected));
});
