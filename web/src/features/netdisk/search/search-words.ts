// The words that are looked for stand in the address, `?search=…`: a link and a reload show what was found, and a step
// back closes the search.
import { useLocation, useNavigate } from "react-router";

const parameter = "search";

/** What stands in an address to be looked for; `null` when nothing does. */
export const wordsIn = (search: string): string | null =>
  new URLSearchParams(search).get(parameter)?.trim() || null;

/** The rest of an address's query: another place is not searched as well. */
export function withoutWords(search: string): string {
  const rest = new URLSearchParams(search);
  rest.delete(parameter);
  return rest.size > 0 ? `?${rest}` : "";
}

/** Marks the stop that a search has begun with: the one before is the same place without it. */
const begun = { searchBegun: true };

const hasBegun = (state: unknown) => typeof state === "object" && state !== null && "searchBegun" in state;

export function useSearchWords() {
  const { search, state } = useLocation();
  const navigate = useNavigate();
  const words = wordsIn(search);
  return {
    words,
    start(next: string) {
      // As it stands by now: what was rendered last may be older.
      const query = new URLSearchParams(window.location.search);
      query.set(parameter, next);
      // Several searches of one place are one stop on the way back.
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
