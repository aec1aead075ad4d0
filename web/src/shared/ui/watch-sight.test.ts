import { afterEach, expect, it, vi } from "vitest";
import { watchSight } from "./watch-sight";

afterEach(() => vi.unstubAllGlobals());

it("goes by the latest of several changes that are reported at once", () => {
  let report: (changes: { isIntersecting: boolean }[]) => void = () => {};
  class Observer {
    constructor(callback: typeof report) {
      report = callback;
    }
    observe() {}
    disconnect() {
      report = () => {};
    }
  }
  vi.stubGlobal("IntersectionObserver", Observer);
  const seen: boolean[] = [];
  const stop = watchSight(document.body, (inSight) => seen.push(inSight));
  report([{ isIntersecting: false }, { isIntersecting: true }]);
  report([{ isIntersecting: true }, { isIntersecting: false }]);
  stop();
  report([{ isIntersecting: true }]);
  expect(seen).toEqual([true, false]);
});
