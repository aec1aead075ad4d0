// The search text is in the URL, `?search=…`: a link and a reload show the hits, and going back closes the search.
import { useLocation, useNavigate } from "react-router";

const parameter = "search";

/** The search text in a URL; `null` without one. */
export const wordsIn = (search: string): string | null =>
  new URLSearchParams(search).get(parameter)?.trim() || null;

/** The rest of an address's query: another place is not searched as well. */
export function withoutWords(search: string): string {
  const rest = new URLSearchParams(search);
  rest.delete(parameter);
  return rest.size > 0 ? `?${rest}` : "";
}

/** Marks the history entry with which a search began: the one before is the same page without it. */
const begun = { searchBegun: true };

const hasBegun = (state: unknown) => typeof state === "object" && state !== null && "searchBegun" in state;

export function useSearchWords() {
  const { search, state } = useLocation();
  const navigate = useNavigate();
  const words = wordsIn(search);
  return {
    words,
    start(next: string) {
      // The present URL: the last rendered one may be older.
      const query = new URLSearchParams(window.location.search);
      query.set(parameter, next);
      // Several searches of one page are one history entry.
      const over = words !== null;
      void navigate({ search: `?${query}` }, { replace: over, state: over ? state : begun });
    },
    close() {
      if (words === null) return;
      if (hasBegun(state)) void navigate(-1);
      else void navigate({ search: withoutWords(window.location.search) }, { replace: true });
    },
  };
}
