import { screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import type { InstanceDetail } from "@/shared/compute/api";
import { makeInstance } from "@/shared/compute/mock";
import { clockText } from "@/shared/compute/text";
import { renderPage } from "@/shared/list/render-page";
import { json, serve } from "@/test-server";
import { Access, closedText } from "./Access";
import DetailPage from "./DetailPage";
import { EndStrip } from "./EndStrip";
import { Facts } from "./Facts";

const HOUR = 3_600_000;
const ahead = (hours: number) => new Date(Date.now() + hours * HOUR + 30_000).toISOString();
const one = (change: Partial<InstanceDetail> = {}): InstanceDetail => ({
  ...makeInstance({ id: "i1", name: "ins_zhangmin_GPU3k9xq2ab", ...change }),
  history: [],
  ...change,
});

let shown = one();
const Strip = () => <EndStrip instance={shown} full />;
const Ways = () => <Access instance={shown} own full />;
const About = () => <Facts instance={shown} />;

beforeEach(() => {
  shown = one();
});

describe("the end of an instance", () => {
  it("is in sight before it is urgent, and is put off by a day with one button", async () => {
    shown = one({ stopAt: ahead(26) });
    const bodies: { stopAt: string }[] = [];
    serve({
      "POST /api/instances/i1/extend": async (request) => {
        bodies.push(await request.json());
        return json(shown);
      },
    });
    const { user } = renderPage(Strip, { at: "/" });
    expect(screen.getByRole("region", { name: "自动停止" }).textContent).toMatch(/自动停止（还有 26 小时）/);
    await user.click(screen.getByRole("button", { name: "续 24 小时" }));
    await waitFor(() => expect(bodies).toHaveLength(1));
    const put = Date.parse(bodies[0]?.stopAt ?? "") - Date.parse(shown.stopAt ?? "");
    expect(put).toBe(24 * HOUR);
  });

  it("of a stopped one is its release", () => {
    shown = one({ state: "stopped", stopAt: ahead(2), keepUntil: ahead(100) });
    renderPage(Strip, { at: "/" });
    expect(screen.getByRole("region", { name: "自动释放" }).textContent).toMatch(/自动释放（还有 4 天）/);
    expect(screen.getByRole("button", { name: "延长保留" })).toBeTruthy();
  });

  it("is not claimed where there is none", () => {
    renderPage(Strip, { at: "/" });
    expect(screen.queryByRole("region")).toBeNull();
  });

  it("U19 a stopped one has no time to stop at", () => {
    shown = one({ state: "stopped", stopAt: ahead(2), keepUntil: ahead(100) });
    renderPage(About, { at: "/" });
    expect(screen.queryByText("停止", { selector: "dt" })).toBeNull();
    expect(screen.getByText("保留到", { selector: "dt" })).toBeTruthy();
  });
});

describe("the ways in", () => {
  it.each([
    [{ state: "preparing" }, "正在拉取镜像，完成后即可访问"],
    [{ state: "stopped" }, "实例已停止，启动后即可访问"],
    [{ state: "released" }, "实例已释放，不能再访问"],
    [{ unreachable: true }, "服务器失联，恢复连接后即可访问"],
    [{ suspended: "疑似挖矿" }, "实例已暂停，解除暂停后即可访问"],
  ] as const)("of %j: %s", (change, words) => expect(closedText(one(change))).toBe(words));

  it("U4 say how one signs in by SSH", async () => {
    const port = { containerPort: 22, hostPort: 30_003, name: "SSH", protocol: "tcp" } as const;
    shown = one({ ssh: "ssh -p 30003 root@gpu01.lab", ports: [port] });
    const { user } = renderPage(Ways, { at: "/" });
    await user.click(screen.getByText("怎样登录？"));
    expect(screen.getByRole("button", { name: "复制命令：设置密码" })).toBeTruthy();
    expect(screen.getByRole("button", { name: "复制命令：加入公钥" })).toBeTruthy();
  });
});

describe("the page", () => {
  it("U19 has release last, and disabled with its reason while the instance runs", async () => {
    serve({
      "GET /api/instances/": () => json(one()),
      "GET /api/instances/i1/samples": () => json({ items: [], span: 0 }),
    });
    renderPage(DetailPage, { at: "/" });
    const release = await screen.findByRole("button", { name: "释放" });
    const head = release.closest("header") as HTMLElement;
    const names = within(head)
      .getAllByRole("button")
      .map((button) => button.textContent);
    expect(names).toEqual(["续期", "重启", "停止", "修改", "另存为镜像", "释放"]);
    expect(release).toHaveProperty("disabled", true);
    expect(release.title).toBe("运行中不能释放，请先停止");
    expect(within(head).getByRole("timer").textContent).toMatch(/^已运行 \d+ 天 \d\d:\d\d:\d\d$/);
    const panels = screen.getAllByRole("heading", { level: 2 }).map(({ textContent }) => textContent);
    expect(panels[0]).toBe("访问");
  });
});

it.each([
  [9, "00:00:09"],
  [3_849, "01:04:09"],
  [90_848, "25:14:08"],
  [3 * 86_400 + 61, "3 天 00:01:01"],
])("%d seconds are %s", (seconds, text) => expect(clockText(seconds)).toBe(text));
