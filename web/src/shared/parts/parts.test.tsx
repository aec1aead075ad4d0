import { screen, waitFor } from "@testing-library/react";
import { Suspense } from "react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { renderPage } from "@/shared/list/render-page";
import { serve } from "@/test-server";
import { latePart } from "./late-part";
import { isMissingPart, loadPart } from "./missing-part";

const missing = () =>
  Promise.reject(new TypeError("Failed to fetch dynamically imported module: http://x/a.js"));
const entry = (name: string) => () =>
  new Response(`<script type="module" src="/assets/${name}.js"></script>`);
const broken = () => Promise.reject(new TypeError("Failed to fetch"));

let script: HTMLScriptElement;
const Late = latePart(missing);
const Page = () => (
  <Suspense>
    <h1>这一页</h1>
    <Late />
  </Suspense>
);

describe("a part of the page that did not load", () => {
  const reload = vi.fn();
  beforeEach(() => {
    script = document.createElement("script");
    script.type = "module";
    // Without running it.
    Object.defineProperty(script, "getAttribute", { value: () => "/assets/old.js" });
    vi.spyOn(document, "querySelector").mockReturnValue(script);
    vi.spyOn(location, "reload").mockImplementation(reload);
  });
  afterEach(() => {
    reload.mockReset();
    vi.restoreAllMocks();
  });

  it("loads the page anew once, and says that there was an update", async () => {
    serve({ "GET /": entry("new") });
    renderPage(Page, { at: "/dashboard" });
    expect(await screen.findByText("已更新，正在刷新")).toBeTruthy();
    expect(screen.getByRole("heading", { name: "这一页" })).toBeTruthy();
    await waitFor(() => expect(reload).toHaveBeenCalledTimes(1));
  });

  it("offers 重试 when loading anew did not help, which loads again", async () => {
    sessionStorage.setItem("yunlab_reload", `${location.pathname}\n${Date.now()}`);
    serve({ "GET /": entry("new") });
    const { user } = renderPage(Page, { at: "/dashboard" });
    expect(await screen.findByText("页面文件加载失败")).toBeTruthy();
    expect(reload).not.toHaveBeenCalled();
    await user.click(screen.getByRole("button", { name: "重试" }));
    await waitFor(() => expect(reload).toHaveBeenCalledTimes(1));
  });

  it("does not claim an update that there was not", async () => {
    serve({ "GET /": entry("old") });
    renderPage(Page, { at: "/dashboard" });
    expect(await screen.findByText("页面加载不完整，正在刷新")).toBeTruthy();
  });

  it("waits for the portal while that is away, and opens by itself then", async () => {
    let health = broken;
    serve({ "GET /": entry("old"), "GET /health": () => health() });
    const { user } = renderPage(Page, { at: "/dashboard" });
    expect(await screen.findByText("离线，页面文件加载失败")).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "重试" }));
    expect(reload).not.toHaveBeenCalled();
    health = async () => new Response("ok") as never;
    await waitFor(() => expect(reload).toHaveBeenCalled());
  });
});

describe("loading a part", () => {
  it("asks once more for what was broken off", async () => {
    const load = vi.fn().mockImplementationOnce(missing).mockResolvedValueOnce("part");
    expect(await loadPart(load)).toBe("part");
  });

  it("does not ask again for a style sheet, which would then be left out", async () => {
    const load = vi.fn().mockRejectedValue(new Error("Unable to preload CSS for /assets/a.css"));
    await expect(loadPart(load)).rejects.toThrow("preload CSS");
    expect(load).toHaveBeenCalledTimes(1);
  });

  it.each([
    "Failed to fetch dynamically imported module: http://lab/a.js",
    "error loading dynamically imported module: http://lab/a.js",
    "Importing a module script failed.",
    "Unable to preload CSS for http://lab/a.css",
  ])("knows %s", (message) => expect(isMissingPart(new TypeError(message))).toBe(true));

  it("knows other faults apart", () => expect(isMissingPart(new Error("x is undefined"))).toBe(false));
});
