import { act, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { InstanceTimes } from "./InstanceTimes";
import { makeInstance } from "./mock";
import { RunningFor } from "./RunningFor";

const started = "2026-11-24T10:00:00Z";
const pass = (seconds: number) => act(() => vi.advanceTimersByTime(seconds * 1000));

describe("A14 the age of an instance on a page that stays open", () => {
  beforeEach(() => vi.useFakeTimers({ now: new Date(started) }));
  afterEach(() => vi.useRealTimers());

  it("goes on by seconds, and by minutes when it is old", () => {
    render(<RunningFor since={started} />);
    expect(screen.getByText("已运行 0 秒")).toBeTruthy();
    pass(26);
    expect(screen.getByText("已运行 26 秒")).toBeTruthy();
    pass(154);
    expect(screen.getByText("已运行 3 分钟")).toBeTruthy();
  });

  it("goes on in lists, too", () => {
    render(<InstanceTimes instance={makeInstance({ id: "i1", name: "ins_1", started })} />);
    pass(71);
    expect(screen.getByText("已运行 1 分钟")).toBeTruthy();
  });
});
