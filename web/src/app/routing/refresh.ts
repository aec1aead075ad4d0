// The page's key: a new one mounts the shown page afresh, as the tags' 刷新 and /redirect do.
import { create } from "zustand";

export const useRefresh = create<{ key: number }>()(() => ({ key: 0 }));

export function bumpRefresh() {
  useRefresh.setState(({ key }) => ({ key: key + 1 }));
}
