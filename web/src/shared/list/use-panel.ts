// Which drawer of a page is open, and for which entry, as it stands in the address: a link to an open form opens it.
import { useSearchParams } from "react-router";

export interface PanelState<Name extends string> {
  name: Name | null;
  /** The entry that the drawer is about. */
  id: string | null;
  show: (name: Name, id?: string | number) => void;
  close: () => void;
}

export function usePanel<Name extends string>(names: readonly Name[]): PanelState<Name> {
  const [address, setAddress] = useSearchParams();
  const wanted = address.get("panel");

  function change(name: Name | null, id?: string | number) {
    setAddress(
      (old) => {
        const next = new URLSearchParams(old);
        next.delete("panel");
        next.delete("id");
        if (name) next.set("panel", name);
        if (id !== undefined) next.set("id", String(id));
        return next;
      },
      { replace: true },
    );
  }

  return {
    name: names.find((name) => name === wanted) ?? null,
    id: address.get("id"),
    show: change,
    close: () => change(null),
  };
}
