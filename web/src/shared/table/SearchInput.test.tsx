// The search field, with a user who is faster than its delay and than the page.
import { act, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, it, vi } from "vitest";
import { SearchInput } from "./SearchInput";

const pause = () => act(() => void vi.advanceTimersByTime(300));
const field = (onSearch: (value: string) => void, value = "") => (
  <SearchInput placeholder="用户名" value={value} onSearch={onSearch} />
);
const shown = () => screen.getByRole<HTMLInputElement>("searchbox").value;

function start() {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  return userEvent.setup({ advanceTimers: vi.advanceTimersByTime });
}

afterEach(() => void vi.useRealTimers());

it("reports after the pause to whoever listens then", async () => {
  const user = start();
  const before = vi.fn();
  const now = vi.fn();
  const { rerender } = render(field(before));
  await user.type(screen.getByRole("searchbox"), "chen");
  rerender(field(now));
  pause();
  expect(before).not.toHaveBeenCalled();
  expect(now.mock.calls).toEqual([["chen"]]);
});

it("reports at once on Enter, and not again", async () => {
  const user = start();
  const search = vi.fn();
  render(field(search));
  await user.type(screen.getByRole("searchbox"), " chen {Enter}");
  expect(search.mock.calls).toEqual([["chen"]]);
  pause();
  expect(search).toHaveBeenCalledTimes(1);
});

it("keeps what was typed while the page takes its time, and shows what comes from outside", async () => {
  const user = start();
  const search = vi.fn();
  const { rerender } = render(field(search));
  await user.type(screen.getByRole("searchbox"), "chen");
  pause();
  await user.type(screen.getByRole("searchbox"), "yu");
  expect(shown()).toBe("chenyu");
  rerender(field(search, "chen"));
  expect(shown()).toBe("chenyu");
  pause();
  expect(search.mock.lastCall).toEqual(["chenyu"]);
  rerender(field(search, "chenyu"));
  rerender(field(search, ""));
  expect(shown()).toBe("");
});
