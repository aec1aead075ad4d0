// Which dialog of the search over everything is open.
import { create } from "zustand";

interface FindState {
  shown: "palette" | "keys" | null;
}

export const useFind = create<FindState>()(() => ({ shown: null }));

export const openPalette = () => useFind.setState({ shown: "palette" });

export const openKeys = () => useFind.setState({ shown: "keys" });

export const closeFind = () => useFind.setState({ shown: null });
