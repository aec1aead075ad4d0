// The state of a list in the URL: page, size, order, search and filters. A link to a list shows the same list. Values
// that equal the default are omitted from the URL.
import { useSearchParams } from "react-router";

export type Order = "asc" | "desc";

export interface ListSpec<Filter extends string> {
  sort: string;
  order: Order;
  size?: number;
  filters?: readonly Filter[];
}

export interface ListParams<Filter extends string> {
  page: number;
  size: number;
  sort: string;
  order: Order;
  q: string;
  filters: Partial<Record<Filter, string>>;
}

export interface ListState<Filter extends string = string> extends ListParams<Filter> {
  /** How many filters are set, the search apart. */
  active: number;
  setFilters: (change: Partial<Record<Filter, string | undefined>>) => void;
  setSearch: (q: string) => void;
  setPage: (page: number, size?: number) => void;
  setOrder: (sort: string, order: Order) => void;
  /** Lifts the search and all filters. */
  reset: () => void;
}

export function parseListParams<Filter extends string>(
  address: URLSearchParams,
  spec: ListSpec<Filter>,
): ListParams<Filter> {
  const filters: Partial<Record<Filter, string>> = {};
  for (const name of spec.filters ?? []) {
    const value = address.get(name);
    if (value) filters[name] = value;
  }
  return {
    page: wholeNumber(address.get("page"), 1, Number.MAX_SAFE_INTEGER) ?? 1,
    size: wholeNumber(address.get("size"), 1, 200) ?? spec.size ?? 20,
    sort: address.get("sort") || spec.sort,
    order: address.get("order") === "asc" ? "asc" : address.get("order") === "desc" ? "desc" : spec.order,
    q: address.get("q") ?? "",
    filters,
  };
}

export function useListParams<Filter extends string = never>(spec: ListSpec<Filter>): ListState<Filter> {
  const [address, setAddress] = useSearchParams();
  const params = parseListParams(address, spec);

  function change(values: Record<string, string | undefined>) {
    setAddress(
      (old) => {
        const next = new URLSearchParams(old);
        // Anything but changing the page returns to the first one.
        next.delete("page");
        for (const [name, value] of Object.entries(values)) {
          if (value) next.set(name, value);
          else next.delete(name);
        }
        return next;
      },
      { replace: true },
    );
  }

  return {
    ...params,
    active: Object.keys(params.filters).length,
    setFilters: (filters) => change(filters),
    setSearch: (q) => change({ q }),
    setPage: (page, size = params.size) =>
      change({
        page: page > 1 ? String(page) : undefined,
        size: size === (spec.size ?? 20) ? undefined : String(size),
      }),
    setOrder: (sort, order) => {
      const isDefault = sort === spec.sort && order === spec.order;
      change({ sort: isDefault ? undefined : sort, order: isDefault ? undefined : order });
    },
    reset: () => change(Object.fromEntries(["q", ...(spec.filters ?? [])].map((name) => [name, undefined]))),
  };
}

function wholeNumber(text: string | null, min: number, max: number): number | undefined {
  if (!text || !/^\d{1,15}$/.test(text)) return undefined;
  const value = Number(text);
  return value >= min && value <= max ? value : undefined;
}
