// Which columns a reader has hidden, kept in this browser: a habit of the person, not part of a link.
import { useState } from "react";

function storageKey(table: string): string {
  return `columns_hidden:${table}`;
}

function read(table: string, atFirst: readonly string[]): readonly string[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(storageKey(table)) ?? "null");
    return Array.isArray(stored) ? stored.filter((key) => typeof key === "string") : atFirst;
  } catch {
    return atFirst;
  }
}

export function useHiddenColumns(
  table: string,
  atFirst: readonly string[],
): [hidden: readonly string[], setHidden: (keys: string[]) => void] {
  const [hidden, setHidden] = useState(() => read(table, atFirst));
  function change(keys: string[]) {
    setHidden(keys);
    try {
      localStorage.setItem(storageKey(table), JSON.stringify(keys));
    } catch {
      // Storage is full or forbidden: the choice holds until the page is left.
    }
  }
  return [hidden, change];
}
