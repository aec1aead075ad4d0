import { render, screen } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { socketBlockedWords } from "@/shared/api/proxies";
import { json, problem, serve, signedIn } from "@/test-server";
import { shellTarget } from "./api";
import { LineBar } from "./LineBar";
import type { Phase } from "./phase";

const showBar = (phase: Phase) =>
  render(<LineBar terminal={{ id: 1, label: "bash", phase, found: null }} number={1} />);

describe("A7 a terminal that can't be reached", () => {
  it.each([
    [400, socketBlockedWords],
    [426, socketBlockedWords],
    [404, "实例不存在"],
  ])("the call without a socket answers %i: %s", async (status, words) => {
    signedIn();
    const answer = status === 404 ? problem(status, "not_found", words) : json({}, status);
    serve({ "GET /api/websocket/terminal/i1/bash": () => answer });
    expect((await shellTarget("i1", "bash").refusal()).words).toBe(words);
  });

  it.each([socketBlockedWords, "连不上服务器，请检查网络后重试", "连接断开", "引擎失联"])(
    "says %s in a sentence",
    (words) => {
      showBar({ kind: "waiting", attempt: 2, delay: 5, words });
      expect(screen.getByRole("status").textContent).toMatch(
        new RegExp(`^会话 1：${words}。正在第 2 次重连（.*）。实例里在后台运行的程序不受影响。立即重连$`),
      );
    },
  );
});
