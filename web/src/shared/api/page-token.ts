// The token that a page's own calls carry. Another tab may have signed somebody else in a moment ago: what this page
// asks for its person must not be asked in the other's name.
import { useSession } from "@/shared/stores/session";
import { isSamePerson, storedToken } from "./token";

/** The stored token; null when there is none, or when it is not of the person for whom this page was opened. */
export function pageToken(): string | null {
  const stored = storedToken();
  const own = useSession.getState().token;
  return stored !== null && own !== null && !isSamePerson(own, stored) ? null : stored;
}
