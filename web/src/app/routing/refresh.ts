// The page's key: a new key remounts the shown page, as the tags' 刷新 and /redirect do.
import { create } from "zustand";
import { queryClient } from "../query-client";

export const useRefresh = create<{ key: number }>()(() => ({ key: 0 }));

export function bumpRefresh() {
  // The page's data is refetched, too, even if the cache considers it fresh.
  void queryClient.invalidateQueries();
  useRefresh.setState(({ key }) => ({ key: key + 1 }));
}
