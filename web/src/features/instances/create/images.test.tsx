import { screen, waitFor } from "@testing-library/react";
import { useState } from "react";
import { describe, expect, it } from "vitest";
import { renderPage } from "@/shared/list/render-page";
import { json, publicSettings, serve } from "@/test-server";
import type { Draft } from "./draft";
import { ImageBlock } from "./ImageBlock";
import { isOf, placeOf } from "./image-name";

const blank: Draft = {
  server: "s1",
  count: 0,
  cards: null,
  cores: null,
  memoryGb: null,
  image: "",
  note: "",
  shmGb: null,
  stopAfter: null,
  ports: [],
  env: [],
  command: "",
  datasets: [],
  autoStart: null,
};

function Page() {
  const [draft, setDraft] = useState(blank);
  return (
    <ImageBlock
      draft={draft}
      faults={{}}
      server={undefined}
      images={[]}
      onChange={(part) => setDraft({ ...draft, ...part })}
    />
  );
}

const name = () => screen.getByRole("textbox", { name: "镜像名称" });

describe("the image of a new instance", () => {
  it("is one of the public library, by search, with another tag", async () => {
    const library = {
      repository: "lab/pytorch",
      image: "hub:5000/lab/pytorch:2.9",
      tag: "2.9",
      tags: ["2.9", "2.8"],
      size: 4_000_000_000,
    };
    const tags = ["2.9", "2.8"].map((tag) => ({ tag, image: `hub:5000/lab/pytorch:${tag}` }));
    const { calls } = serve({
      "GET /api/settings/public": () => json({ ...publicSettings, publicImageUrl: "http://hub:5000" }),
      "GET /api/images/public": () => json({ items: [library], total: 1 }),
      "GET /api/images/public/tags": () => json({ items: tags, total: 2 }),
    });
    const { user } = renderPage(Page, { at: "/servers/instance_create" });
    await user.click(await screen.findByRole("radio", { name: "lab/pytorch" }));
    expect(name()).toHaveProperty("value", "hub:5000/lab/pytorch:2.9");
    await user.click(screen.getByRole("combobox", { name: "lab/pytorch 的标签" }));
    await user.click(await screen.findByTitle("2.8"));
    expect(name()).toHaveProperty("value", "hub:5000/lab/pytorch:2.8");
    await user.type(screen.getByRole("searchbox", { name: "仓库名称" }), "torch{Enter}");
    await waitFor(() => expect(calls.filter(({ key }) => key === "GET /api/images/public")).toHaveLength(2));
  });

  it("is one's own where there is no public library, or any other by its name", async () => {
    serve({ "GET /api/images": () => json({ items: [], total: 0 }) });
    const { user } = renderPage(Page, { at: "/servers/instance_create", role: 2 });
    expect(await screen.findByText("还没有镜像")).toBeTruthy();
    await user.click(screen.getByText("公共镜像库"));
    expect(screen.getByText("公开镜像库访问url未设置，请设置")).toBeTruthy();
    await user.type(name(), "busybox:1");
    expect(name()).toHaveProperty("value", "busybox:1");
  });
});

describe("names and places", () => {
  it("a repository is the same with any tag, and a registry's port is no tag", () => {
    expect(isOf("hub:5000/a/b:1", "hub:5000/a/b:2")).toBe(true);
    expect(isOf("hub:5000/a/b", "hub:5000/a/c")).toBe(false);
  });

  it("what lies on another server only can't be had here", () => {
    const server = { id: "s1", name: "gpu-a01" };
    const there = { kind: "server", server: { id: "s2", name: "gpu-a02" } } as const;
    expect(placeOf({ where: [there] }, server).closed).toContain("只在 gpu-a02 上");
    expect(placeOf({ where: [there, { kind: "registry" }] }, server)).toEqual({ words: "需拉取" });
    expect(placeOf({ where: [{ ...there, server }] }, server)).toEqual({ words: "服务器上已有" });
  });
});
