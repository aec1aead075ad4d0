// The order of a listing in the URL: `?sort=size&order=desc`. Without it the server's default.
import type { Sorting, SortKey } from "../api";

export const defaultSorting: Sorting = { by: "name", asc: true };

const isSortKey = (value: string | null): value is SortKey =>
  value === "name" || value === "size" || value === "modified";

export function sortingIn(search: URLSearchParams): Sorting | null {
  const by = search.get("sort");
  return isSortKey(by) ? { by, asc: search.get("order") !== "desc" } : null;
}

export function withSorting(search: URLSearchParams, { by, asc }: Sorting): URLSearchParams {
  const next = new URLSearchParams(search);
  next.set("sort", by);
  next.set("order", asc ? "asc" : "desc");
  return next;
}
