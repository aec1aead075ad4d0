import { act, renderHook } from "@testing-library/react";
import type { PropsWithChildren } from "react";
import { MemoryRouter, useLocation } from "react-router";
import { describe, expect, it } from "vitest";
import { parseListParams, useListParams } from "./use-list-params";
import { usePanel } from "./use-panel";

const spec = { sort: "name", order: "asc", filters: ["role"] } as const;
const parse = (address: string) => parseListParams(new URLSearchParams(address), spec);

describe("the state of a list in the address", () => {
  it("has defaults for what is left out or makes no sense", () => {
    const defaults = { page: 1, size: 20, sort: "name", order: "asc", q: "", filters: {} };
    expect(parse("")).toEqual(defaults);
    expect(parse("page=0&size=5000&order=sideways&other=1")).toEqual(defaults);
    expect(parse("page=-1&size=1e3")).toEqual(defaults);
  });

  it("reads what is there", () => {
    expect(parse("page=3&size=50&sort=id&order=desc&q=a&role=1")).toEqual({
      page: 3,
      size: 50,
      sort: "id",
      order: "desc",
      q: "a",
      filters: { role: "1" },
    });
  });
});

/** Hooks in a router of their own; `search` is the present query. */
function inAddress<Value>(use: () => Value, at: string) {
  const { result } = renderHook(() => ({ value: use(), search: useLocation().search }), {
    wrapper: ({ children }: PropsWithChildren) => (
      <MemoryRouter initialEntries={[at]}>{children}</MemoryRouter>
    ),
  });
  return { value: () => result.current.value, search: () => result.current.search };
}

describe("changing the address", () => {
  it("starts at the first page when anything but the page changes, and leaves defaults out", () => {
    const { value, search } = inAddress(() => useListParams(spec), "/x?page=4&tab=2");
    act(() => value().setFilters({ role: "1" }));
    expect(search()).toBe("?tab=2&role=1");
    act(() => value().setOrder("id", "desc"));
    act(() => value().setPage(2, 50));
    expect(search()).toBe("?tab=2&role=1&sort=id&order=desc&page=2&size=50");
    act(() => value().setOrder("name", "asc"));
    act(() => value().reset());
    expect(search()).toBe("?tab=2&size=50");
  });

  it("keeps what a drawer is about until it is gone, and counts its openings", () => {
    const { value, search } = inAddress(() => usePanel(["edit"]), "/x?q=a");
    expect(value()).toMatchObject({ name: null, opening: 0 });
    act(() => value().show("edit", 7));
    expect(search()).toBe("?q=a&panel=edit&id=7");
    expect(value()).toMatchObject({ name: "edit", id: "7", opening: 1 });
    act(() => value().close());
    expect(search()).toBe("?q=a");
    expect(value()).toMatchObject({ name: null, id: "7", opening: 1 });
  });

  it("is open at once where the address says so, which counts as an opening", () => {
    const { value } = inAddress(() => usePanel(["edit"]), "/x?panel=edit&id=7");
    expect(value()).toMatchObject({ name: "edit", id: "7", opening: 1 });
  });

  it("does not open what it does not know", () => {
    expect(inAddress(() => usePanel(["edit"]), "/x?panel=other").value().name).toBeNull();
  });
});
