import { focusManager, QueryClient, QueryObserver } from "@tanstack/react-query";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { json, serve, signedIn } from "@/test-server";
import { usageQuery } from "./api";

const client = new QueryClient({ defaultOptions: { queries: { staleTime: 10_000 } } });

beforeEach(() => {
  vi.useFakeTimers();
  signedIn();
  client.mount();
});

afterEach(() => {
  focusManager.setFocused(undefined);
  client.unmount();
  client.clear();
  vi.useRealTimers();
});

it("A1 the meter follows within five seconds, and rests while nobody looks", async () => {
  let used = 0;
  const call = "GET /disk/api/usage/home/";
  const server = serve({ [call]: () => json({ total: 100, used, datasets: 0, quota: 50, counted: "" }) });
  const meter = new QueryObserver(client, usageQuery("/disk", "/home/"));
  const close = meter.subscribe(() => {});
  await vi.advanceTimersByTimeAsync(100);
  used = 40;
  await vi.advanceTimersByTimeAsync(5_000);
  expect(meter.getCurrentResult().data?.used).toBe(40);

  focusManager.setFocused(false);
  const before = server.count(call);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(server.count(call)).toBe(before);
  used = 45;
  focusManager.setFocused(true);
  await vi.advanceTimersByTimeAsync(100);
  expect(meter.getCurrentResult().data?.used).toBe(45);

  // Opening the folder again at once shows the present use, too.
  close();
  used = 50;
  const again = meter.subscribe(() => {});
  await vi.advanceTimersByTimeAsync(100);
  expect(meter.getCurrentResult().data?.used).toBe(50);
  again();
});
