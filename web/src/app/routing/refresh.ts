// The page's key: a new one mounts the shown page afresh, as the tags' 刷新 and /redirect do.
import { create } from "zustand";
import { queryClient } from "../query-client";

export const useRefresh = create<{ key: number }>()(() => ({ key: 0 }));

export function bumpRefresh() {
  // What the page shows comes anew from the server too, however fresh the cache thinks it is.
  void queryClient.invalidateQueries();
  useRefresh.setState(({ key }) => ({ key: key + 1 }));
}
