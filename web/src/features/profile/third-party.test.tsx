import { screen, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { renderPage } from "@/shared/list/render-page";
import { json, problem, serve } from "@/test-server";
import AboutPage from "./AboutPage";

const many = Array.from({ length: 60 }, (_, at) => ({
  name: `crate-${String(at).padStart(2, "0")}`,
  version: "0.1.0",
  licence: "MIT OR Apache-2.0",
  source: "crates.io",
  link: "https://lab.test/crate",
  texts: [0],
}));
const react = { ...many[0], name: "react", version: "19.3.1", licence: "MIT", source: "npm", texts: [1] };
const lone = { ...many[0], name: "lone", licence: "ISC", texts: [] };
const list = { packages: [...many, react, lone], texts: ["first text", "second text"] };

function show(answer: () => Response, at = "/profile/about") {
  serve({ "GET /third-party.json": answer });
  return renderPage(AboutPage, { at, role: 2 });
}

const items = async () =>
  within(await screen.findByRole("list", { name: "第三方软件" })).getAllByRole("listitem");

describe("licences of others on the about page", () => {
  it("shows name, version and licence, more on demand, and the text of one that is opened", async () => {
    const { user } = show(() => json(list));
    expect(await items()).toHaveLength(50);
    expect(screen.getByText(/共 62 个软件包/)).toBeDefined();
    await user.click(screen.getByRole("button", { name: "再显示 12 个" }));
    const all = await items();
    expect(all).toHaveLength(62);
    expect(screen.queryByRole("button", { name: /再显示/ })).toBeNull();
    expect(all[60]?.textContent).toBe("react19.3.1MIT");
    await user.click(screen.getByText("react"));
    expect(await screen.findByText("second text")).toBeDefined();
    await user.click(screen.getByText("lone"));
    expect(await screen.findByText(/没有附带许可证原文/)).toBeDefined();
  });

  it("finds by every word, and the search stands in the address", async () => {
    const { user, search } = show(() => json(list), "/profile/about?q=npm%20mit");
    expect((await items()).map((item) => item.textContent)).toEqual(["react19.3.1MIT"]);
    const field = screen.getByRole("searchbox", { name: "搜索名称或许可证" });
    await user.clear(field);
    await user.type(field, "nothing{Enter}");
    expect(await screen.findByText("没有符合的软件包")).toBeDefined();
    expect(search().get("q")).toBe("nothing");
  });

  it("says so when the list is not to be had, and asks again", async () => {
    let fails = true;
    const { user } = show(() => (fails ? problem(500, "internal", "出错了") : json(list)));
    expect(await screen.findByText("第三方软件的清单没有取到")).toBeDefined();
    fails = false;
    await user.click(screen.getByRole("button", { name: "重试" }));
    expect(await items()).toHaveLength(50);
  });
});
