import { beforeEach, expect, it } from "vitest";
import { onPageClosed } from "@/shared/stores/closed-pages";
import { closeAll, closeOthers, closeTag, pinTags, useTags, visit } from "./tags";

const closed: string[] = [];
onPageClosed((address) => closed.push(address));

beforeEach(() => {
  useTags.setState({ tags: [] });
  pinTags([{ key: "/dashboard", title: "首页", to: "/dashboard", pinned: true }]);
  for (const key of ["/a", "/b", "/c"]) visit({ key, title: key, address: key, noCache: false });
  closed.length = 0;
});

it("a page hears that it is closed, by whichever way", () => {
  expect(closeTag("/b")?.key).toBe("/c");
  expect(closed).toEqual(["/b"]);
  closeOthers("/c");
  expect(closed).toEqual(["/b", "/a"]);
  closeAll();
  expect(closed).toEqual(["/b", "/a", "/c"]);
});

it("what is pinned is not closed", () => {
  expect(closeTag("/dashboard")).toBeNull();
  closeAll();
  expect(closed).not.toContain("/dashboard");
});
