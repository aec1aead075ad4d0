import { beforeEach, describe, expect, it } from "vitest";
import type { AppRoute } from "@/shared/lib/app-route";
import { closeAll, closeOthers, closeTag, pinnedTags, pinTags, useTags, visit } from "../tags/tags";
import { refreshTarget } from "./build-routes";
import { addressOf, buildMenu } from "./menu";
import { allRoutes, routesFor } from "./registry";
import { inOrder } from "./sections";

const page = async () => ({ default: () => null });

const routes: AppRoute[] = inOrder([
  { path: "/logs/login_log", meta: { title: "登录日志", roles: [1] }, page },
  { path: "/users/groupmember_list", meta: { title: "组成员" }, page },
  { path: "/users/user_list", meta: { title: "用户列表", roles: [1] }, page },
  { path: "/servers/server_list", meta: { title: "服务器列表", roles: [1, 3] }, page },
  { path: "/users/detail/:id", meta: { title: "用户" }, page },
  { path: "/netdisk/files/*", meta: { title: "网盘", affix: true }, page },
  { path: "/dashboard", meta: { title: "首页", affix: true }, page },
  { path: "/profile/detail", meta: { title: "个人资料", hidden: true }, page },
  { path: "/login", meta: { title: "登录", hidden: true }, anonymous: true, page },
]);

const outline = (role: number) =>
  buildMenu(routesFor(role, routes)).map((entry) =>
    entry.kind === "page"
      ? entry.page.title
      : [entry.group.title, ...entry.group.pages.map(({ title }) => title)],
  );

describe("menu by role", () => {
  const paths = (role: number) => routesFor(role, routes).map(({ path }) => path);

  it("S282 the administrator sees everything", () => {
    expect(paths(1)).toEqual(routes.map(({ path }) => path));
    // Groups of one page are that page.
    expect(outline(1)).toEqual(["首页", "服务器列表", "网盘", ["用户", "用户列表", "组成员"], "登录日志"]);
  });

  it("S284 S285 others see what lists their role or nobody", () => {
    const everybodys = routes.filter(({ meta }) => meta.roles === undefined).map(({ path }) => path);
    expect(paths(2)).toEqual(everybodys);
    expect(paths(3)).toEqual(
      routes.filter(({ meta }) => meta.roles?.includes(3) ?? true).map(({ path }) => path),
    );
    expect(outline(2)).toEqual(["首页", "网盘", "组成员"]);
    expect(outline(3)).toEqual(["首页", "服务器列表", "网盘", "组成员"]);
  });

  it("U23 work orders have an entry of their own, though their route is a hidden section's", () => {
    const entries = buildMenu(allRoutes);
    const entry = entries.find(
      ({ kind, ...rest }) => kind === "page" && "page" in rest && rest.page.title === "工单",
    );
    expect(entry).toMatchObject({ page: { to: "/profile/worksheet", path: "/profile/worksheet" } });
  });

  it("a group of one page is that page, with the group's icon", () => {
    const groups = buildMenu(routesFor(2)).filter(({ kind }) => kind === "group");
    expect(groups.every((entry) => entry.kind === "group" && entry.group.pages.length > 1)).toBe(true);
    expect(buildMenu(routesFor(2))).toContainEqual({
      kind: "page",
      page: expect.objectContaining({ title: "组成员", icon: "users" }),
    });
  });

  it("S080 S071 hidden pages and pages with a parameter are not in it", () => {
    expect(JSON.stringify(outline(1))).not.toMatch(/个人资料|登录"|"用户"\]/);
  });

  it("S077 the network disk is opened as a folder", () => {
    expect(addressOf("/netdisk/files/*")).toBe("/netdisk/files/");
  });
});

describe("the portal's own pages", () => {
  const paths = (role: number) => routesFor(role).map((route) => route.path);

  it("S286 an ordinary user has no administrator's page, not by its address either", () => {
    const only = [
      "/users/user_list",
      "/users/group_list",
      "/settings/basic_setting",
      "/settings/auth_setting",
      "/settings/duties",
      "/logs/login_log",
      "/logs/operate_log",
      "/servers/server_manage",
      "/servers/instance_manage",
      "/servers/server_allocation",
      "/servers/finding_list",
      "/images/image_build/:id",
    ];
    for (const path of only) {
      expect(paths(1)).toContain(path);
      expect(paths(2)).not.toContain(path);
    }
    expect(paths(2)).toContain("/users/groupmember_list");
  });

  it("S031 S032 S033 S034 S072 the pages of the session and of errors are there", () => {
    const outside = ["/login", "/auth-redirect", "/404", "/401"];
    for (const path of outside) {
      const route = allRoutes.find((candidate) => candidate.path === path);
      expect(route?.outside || route?.anonymous).toBe(true);
    }
    for (const path of ["/error/401", "/error/404", "/error-log/log"]) expect(paths(2)).toContain(path);
  });

  it.each([
    ["S044", "/servers/server_list", "everybody", "shown"],
    ["S045", "/servers/server_manage", "administrators", "shown"],
    ["S046", "/servers/instance_manage", "administrators", "shown"],
    ["S047", "/servers/server_allocation", "administrators", "shown"],
    ["S048", "/servers/server_detail/:id", "everybody", "hidden"],
    ["S049", "/servers/server_terminal/:serverid/:instanceid/:ip/:cmd", "everybody", "hidden"],
    ["S050", "/servers/:server/server_terminal_ssh/:ip/:port", "everybody", "hidden"],
    ["S054", "/images/image_show", "everybody", "shown"],
    ["S055", "/images/image_manage", "everybody", "shown"],
    ["S056", "/images/image_build/:id", "administrators", "hidden"],
    ["S057", "/images/image_info", "everybody", "hidden"],
  ])("%s %s is for %s and %s in the menu", (_id, path, who, menu) => {
    expect(paths(1)).toContain(path);
    expect(paths(2).includes(path)).toBe(who === "everybody");
    const entries = buildMenu(routesFor(1)).flatMap((entry) =>
      entry.kind === "page" ? [entry.page] : entry.group.pages,
    );
    expect(entries.some((entry) => entry.path === path)).toBe(menu === "shown");
  });

  it("S079 every page has a title and no address is taken twice", () => {
    expect(allRoutes.every((route) => route.meta.title !== "")).toBe(true);
    expect(new Set(allRoutes.map((route) => route.path)).size).toBe(allRoutes.length);
  });
});

describe("S035 refresh helper", () => {
  it.each([
    ["users/user_list", "/users/user_list"],
    ["//evil.test/x", "/evil.test/x"],
    ["/\\evil.test", "/evil.test"],
    ["", "/"],
  ])("%j leads to %j", (rest, target) => {
    expect(refreshTarget(rest)).toBe(target);
  });
});

describe("tags", () => {
  const keys = () => useTags.getState().tags.map((tag) => tag.key);
  const open = (key: string, address = key, noCache = false) => visit({ key, title: key, address, noCache });

  beforeEach(() => {
    useTags.setState({ tags: [] });
    pinTags(pinnedTags(routes));
    open("/a");
    open("/b");
    open("/c");
  });

  it("S043 S075 the dashboard and the network disk are pinned first and stay", () => {
    expect(keys()).toEqual(["/dashboard", "/netdisk/files/", "/a", "/b", "/c"]);
    expect(closeTag("/dashboard")).toBeNull();
    closeAll();
    expect(keys()).toEqual(["/dashboard", "/netdisk/files/"]);
  });

  it("S103 closing names the neighbour to show", () => {
    expect(closeTag("/b")?.key).toBe("/c");
    expect(closeTag("/c")?.key).toBe("/a");
    expect(keys()).toEqual(["/dashboard", "/netdisk/files/", "/a"]);
  });

  it("S103 closing the others keeps this one and the pinned", () => {
    closeOthers("/b");
    expect(keys()).toEqual(["/dashboard", "/netdisk/files/", "/b"]);
  });

  it("a tag leads to the place last seen, unless its page starts afresh", () => {
    open("/a", "/a?page=3");
    open("/b", "/b?page=3", true);
    const to = (key: string) => useTags.getState().tags.find((tag) => tag.key === key)?.to;
    expect(to("/a")).toBe("/a?page=3");
    expect(to("/b")).toBe("/b");
    expect(keys()).toHaveLength(5);
  });
});
