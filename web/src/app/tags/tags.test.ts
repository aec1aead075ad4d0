import { beforeEach, expect, it } from "vitest";
import { onPageClosed } from "@/shared/stores/closed-pages";
import {
  clearTags,
  closeAll,
  closeOthers,
  closeTag,
  keepTags,
  pinTags,
  restoreTags,
  useTags,
  visit,
} from "./tags";

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

it("those kept before a reload come back once, and only for the same person", () => {
  const shown = () => useTags.getState().tags.map(({ key }) => key);
  keepTags(7);
  clearTags();
  restoreTags(7);
  expect(shown()).toEqual(["/dashboard", "/a", "/b", "/c"]);
  clearTags();
  restoreTags(7);
  expect(shown()).toEqual([]);
  visit({ key: "/a", title: "/a", address: "/a", noCache: false });
  keepTags(7);
  clearTags();
  restoreTags(8);
  expect(shown()).toEqual([]);
});
