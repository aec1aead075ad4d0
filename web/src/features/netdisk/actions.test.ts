import { describe, expect, it } from "vitest";
import { everything, mayChange, mayRun, type Permissions, permitsFor } from "./actions";
import { makeItem } from "./mock";

const kinds = ["create", "rename", "modify", "delete", "download", "share", "execute"] as const;
const without = (...lacking: (keyof Permissions)[]): Permissions => ({
  ...everything,
  admin: false,
  ...Object.fromEntries(lacking.map((what) => [what, false])),
});
const user = (perm: Permissions) => ({ admin: false, perm });
const file = makeItem({ path: "/home/a.txt" });
const other = makeItem({ path: "/home/b.txt" });
const open = ({ hidden, reason }: { hidden: boolean; reason: string | undefined }) =>
  !hidden && reason === undefined;

describe("what is closed without a permission", () => {
  // Each permission, and all that needs it.
  it.each([
    ["S288 create", "create", ["making", "copy", "compress"]],
    ["S289 rename", "rename", ["rename", "move"]],
    ["S290 delete", "delete", ["remove"]],
    ["S291 download", "download", ["download", "share", "compress", "shell"]],
    ["S292 share", "share", ["share"]],
    ["S293 execute", "execute", ["shell"]],
    ["S185 modify", "modify", ["modify"]],
  ] as const)("%s", (_title, lacking, closed) => {
    const viewer = user(without(lacking));
    const all = {
      ...permitsFor([file], "/home/", viewer),
      making: mayChange("/home/", viewer),
      modify: mayChange("/home/", viewer, "modify"),
      shell: mayRun(true, viewer),
    };
    const shut = Object.entries(all).filter(([, permit]) => !open(permit));
    expect(shut.map(([name]) => name).toSorted()).toEqual(closed.toSorted());
    for (const [name, permit] of shut) {
      expect(permit.hidden, name).toBe(false);
      expect(permit.reason, name).toMatch(/^没有.*的权限$/);
    }
  });

  it("whoever lacks nothing may do everything, whoever lacks all nothing", () => {
    const full = permitsFor([file], "/home/", user(without()));
    expect(Object.values(full).every(open)).toBe(true);
    const none = permitsFor([file], "/home/", user(without(...kinds)));
    expect(Object.values(none).some(open)).toBe(false);
  });
});

describe("where a button has its place", () => {
  it("S297 S298 S299 S300 S301 renaming and sharing take exactly one, the others any number", () => {
    const { rename, share, ...others } = permitsFor([file, other], "/home/", user(without()));
    expect(rename).toEqual({ hidden: false, reason: "只能对一项重命名" });
    expect(share).toEqual({ hidden: false, reason: "只能分享一项" });
    for (const permit of Object.values(others)) expect(open(permit)).toBe(true);
  });

  it("S279 in the disk root ordinary users have none that changes anything, whatever they may do", () => {
    const home = makeItem({ path: "/home", isDir: true });
    for (const perm of [without(), without(...kinds)]) {
      expect(mayChange("/", user(perm)).hidden).toBe(true);
      const { copy, move, rename, remove, download } = permitsFor([home], "/", user(perm));
      for (const permit of [copy, move, rename, remove]) expect(permit.hidden).toBe(true);
      expect(download.hidden).toBe(false);
    }
    expect(mayChange("/", { admin: true, perm: everything }).hidden).toBe(false);
  });

  it.each([
    ["/datasets/", "数据集只读"],
    ["/datasets/coco/", "数据集只读"],
    ["/groups/", "请先进入一个组的文件夹"],
  ])("nothing is made in %s by ordinary users", (folder, reason) => {
    expect(mayChange(folder, user(without()))).toEqual({ hidden: false, reason });
    expect(open(mayChange(folder, { admin: true, perm: everything }))).toBe(true);
  });

  it("owners write in their datasets, nobody in a version", () => {
    const owner = { ...user(without()), datasets: ["coco"] };
    expect(open(mayChange("/datasets/coco/train/", owner))).toBe(true);
    expect(mayChange("/datasets/other/", owner).reason).toBe("数据集只读");
    for (const viewer of [owner, { admin: true, perm: everything }])
      expect(mayChange("/datasets/coco@v2/", viewer).reason).toBe("数据集的版本只读");
  });

  it("S293 without the shell feature there is no button for it, even for administrators", () => {
    expect(mayRun(false, { admin: true, perm: everything }).hidden).toBe(true);
    expect(open(mayRun(true, user(without())))).toBe(true);
  });
});
