// The open drawer of a page and its entry, kept in the URL: a link to an open form opens it.
import { useState } from "react";
import { useSearchParams } from "react-router";

export interface PanelState<Name extends string> {
  name: Name | null;
  /** The entry that the drawer is, or was last, about: it stays while the drawer slides out. */
  id: string | null;
  /** Counts the openings, including the one by the URL itself; as a `key` it makes every opening start from scratch. */
  opening: number;
  show: (name: Name, id?: string | number) => void;
  close: () => void;
}

export function usePanel<Name extends string>(names: readonly Name[]): PanelState<Name> {
  const [address, setAddress] = useSearchParams();
  const name = names.find((known) => known === address.get("panel")) ?? null;
  const id = address.get("id");
  const [seen, setSeen] = useState({ name, id, opening: name ? 1 : 0 });
  if (name !== seen.name || (name && id !== seen.id)) {
    setSeen({ name, id: name ? id : seen.id, opening: name ? seen.opening + 1 : seen.opening });
  }

  function change(next: Name | null, about?: string | number) {
    setAddress(
      (old) => {
        const changed = new URLSearchParams(old);
        changed.delete("panel");
        changed.delete("id");
        if (next) changed.set("panel", next);
        if (about !== undefined) changed.set("id", String(about));
        return changed;
      },
      { replace: true },
    );
  }

  return {
    name,
    id: seen.id,
    opening: seen.opening,
    show: change,
    close: () => change(null),
  };
}
