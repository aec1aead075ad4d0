import { act, fireEvent, render, screen } from "@testing-library/react";
import { MemoryRouter } from "react-router";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { CollapsedGroup } from "./MenuGroupItem";

const group = {
  segment: "users",
  title: "用户",
  pages: [{ path: "/users/list", to: "/users/list", title: "用户列表" }],
};

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const wait = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));

it("a page chosen quickly closes the menu at the side for good", async () => {
  render(
    <MemoryRouter>
      <CollapsedGroup group={group} path="/" holdsCurrent={false} />
    </MemoryRouter>,
  );
  const button = screen.getByRole("button", { name: "用户" });
  // The mouse clicks, and has chosen before its being over the menu counts.
  fireEvent.pointerDown(button);
  fireEvent.click(button);
  await wait(5);
  fireEvent.pointerEnter(screen.getByRole("menu"));
  fireEvent.click(screen.getByRole("link", { name: "用户列表" }));
  await wait(1000);
  expect(button.className).not.toContain("ant-dropdown-open");
  // And it opens again.
  fireEvent.pointerDown(button);
  fireEvent.click(button);
  await wait(1000);
  expect(button.className).toContain("ant-dropdown-open");
});
