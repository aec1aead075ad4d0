// What the whole page says of its own state: the line to the portal, and a sign-in that is not through yet.
import { render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, it } from "vitest";
import { json, makeToken, person, problem, serve, signedIn } from "@/test-server";
import { App } from "./App";
import { queryClient } from "./query-client";
import { currentRouter, useRouter } from "./routing/router-store";
import { startRouting } from "./session/guard";
import { clearTags } from "./tags/tags";

const heading = (name: string) => screen.findByRole("heading", { level: 1, name });

async function start(path: string) {
  history.replaceState(null, "", path);
  await startRouting();
  return render(<App />);
}

beforeEach(() => {
  currentRouter()?.dispose();
  useRouter.setState({ router: null, generation: 0 });
  clearTags();
  queryClient.clear();
});

describe("the line to the portal", () => {
  it("is shown with the age of the data while it is lost, and what is shown is asked for again", async () => {
    signedIn(2);
    let away = false;
    const answer = (body: unknown) => () => {
      if (away) throw new TypeError("Failed to fetch");
      return json(body);
    };
    const server = serve({ "GET /api/users/7": answer(person(2)), "GET /health": answer("ok") });
    await start("/profile/detail");
    await heading("个人资料");
    expect(screen.queryByText("正在重连")).toBeNull();
    away = true;
    dispatchEvent(new Event("offline"));
    expect(await screen.findByText("正在重连")).toBeTruthy();
    expect(screen.getByText(/^\d+ 秒前更新$/)).toBeTruthy();
    away = false;
    const asked = server.count("GET /api/users/7");
    await userEvent.setup().click(screen.getByRole("button", { name: "立即重试" }));
    await waitFor(() => expect(screen.queryByText("正在重连")).toBeNull());
    await waitFor(() => expect(server.count("GET /api/users/7")).toBeGreaterThan(asked));
    // What the query library remembers of the browser, for the tests after this one.
    dispatchEvent(new Event("online"));
  });
});

describe("a sign-in", () => {
  const busy = () => screen.queryByRole("button", { name: /登录/ })?.className.includes("loading");

  async function fill() {
    const user = userEvent.setup({ delay: null });
    await start("/login");
    await heading("登录");
    await user.type(screen.getByLabelText("用户名"), "zhangmin");
    await user.type(screen.getByLabelText("密码"), "lab2026");
    await user.click(screen.getByRole("button", { name: "登录" }));
  }
  const accepted = () => json({ jwt: makeToken({ age: 0 }), device: "" });

  it("keeps its button busy until the dashboard is there", async () => {
    const seen: (boolean | undefined)[] = [];
    serve({ "POST /api/auth": accepted });
    await fill();
    while (!screen.queryByRole("heading", { level: 1, name: "首页" })) {
      seen.push(busy());
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
    expect(seen).toContain(true);
    expect(seen.slice(1)).not.toContain(false);
  });

  it("frees its button when the guard refuses", async () => {
    serve({
      "POST /api/auth": accepted,
      "GET /api/users/7": () => problem(500, "internal", "数据库没有应答"),
    });
    await fill();
    expect(await screen.findByText("数据库没有应答")).toBeTruthy();
    await waitFor(() => expect(busy()).toBe(false));
  });
});
