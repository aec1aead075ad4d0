import { QueryObserver } from "@tanstack/react-query";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { publicSettingsQuery } from "@/shared/api/public-settings";
import { noteWork } from "@/shared/lib/page-work";
import { clearSession, setSession } from "@/shared/stores/session";
import { publicSettings } from "@/test-server";
import { hideIdleWarning, showIdleEnd, showIdleWarning } from "../feedback";
import { queryClient } from "../query-client";
import { idleTimeLeft, watchIdle } from "./idle-end";

vi.mock("../feedback");

const minutes = (n: number) => vi.advanceTimersByTime(n * 60_000);

let stop = () => {};
let stopObserving = () => {};
const end = vi.fn();

beforeEach(() => {
  vi.useFakeTimers();
  end.mockClear();
  setSession({ token: "x" });
  queryClient.setQueryData(publicSettingsQuery.queryKey, { ...publicSettings, idleMinutes: 10 });
  // Pages always observe them; unobserved ones would be forgotten.
  stopObserving = new QueryObserver(queryClient, { ...publicSettingsQuery, enabled: false }).subscribe(
    () => {},
  );
  stop = watchIdle(end);
});
afterEach(() => {
  stop();
  stopObserving();
  clearSession();
  queryClient.clear();
  localStorage.clear();
  vi.useRealTimers();
});

describe("the idle end", () => {
  it("comes after the time of the setting, with a warning before", () => {
    minutes(8.5);
    expect(showIdleWarning).not.toHaveBeenCalled();
    minutes(1);
    expect(showIdleWarning).toHaveBeenCalled();
    expect(end).not.toHaveBeenCalled();
    minutes(1);
    expect(end).toHaveBeenCalled();
    expect(showIdleEnd).toHaveBeenCalled();
  });

  it("is put off by an input here or in another tab, and by work under way", () => {
    minutes(9.5);
    vi.mocked(hideIdleWarning).mockClear();
    dispatchEvent(new KeyboardEvent("keydown"));
    expect(hideIdleWarning).toHaveBeenCalled();
    minutes(9.5);
    localStorage.setItem("yunlab_last_input", String(Date.now()));
    minutes(9.5);
    noteWork("uploads", true);
    minutes(60);
    noteWork("uploads", false);
    minutes(9.5);
    expect(end).not.toHaveBeenCalled();
    minutes(1);
    expect(end).toHaveBeenCalled();
  });

  it("never comes without the setting, or without a session", () => {
    clearSession();
    minutes(600);
    setSession({ token: "x" });
    queryClient.setQueryData(publicSettingsQuery.queryKey, publicSettings);
    minutes(600);
    expect(end).not.toHaveBeenCalled();
  });

  it("does not believe a time in the future", () => {
    expect(idleTimeLeft(90_000_000, 0, 10)).toBe(600_000);
    expect(idleTimeLeft(0, 900_000, 10)).toBe(-300_000);
    expect(idleTimeLeft(0, 900_000, 0)).toBeNull();
  });
});
