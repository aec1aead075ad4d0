// Whether a text is seen as its source: in the URL, so that a link and a reload show the same.
import { useSearchParams } from "react-router";
import type { Resource } from "../api";
import { isTooLarge, type ViewerName, viewerOf } from "./viewers";

const parameter = "view";

/** The rest of an address's query: another file is not seen as its source for that. */
export function withoutView(search: string): string {
  const rest = new URLSearchParams(search);
  rest.delete(parameter);
  return rest.toString();
}

export interface SourceView {
  viewer: ViewerName | null;
  /** It has both a view and a source. */
  both: boolean;
  asSource: boolean;
  show: (what: "view" | "source") => void;
}

export function useSourceView(file: Resource): SourceView {
  const [search, setSearch] = useSearchParams();
  const viewer = viewerOf(file);
  const isText = file.type === "text" || file.type === "textImmutable";
  const large = viewer !== null && isTooLarge(viewer, file.size);
  return {
    viewer,
    both: viewer !== null && isText && !large,
    asSource: isText && (viewer === null || large || search.get(parameter) === "source"),
    show(what) {
      const next = new URLSearchParams(search);
      if (what === "source") next.set(parameter, what);
      else next.delete(parameter);
      setSearch(next, { replace: true });
    },
  };
}
