// The token of a page's own calls. Another tab may have signed another user in a moment ago: this page's calls must not
// be made in that user's name.
import { useSession } from "@/shared/stores/session";
import { isSamePerson, storedToken } from "./token";

/** The stored token; null when there is none, or when it belongs to another user than this page. */
export function pageToken(): string | null {
  const stored = storedToken();
  const own = useSession.getState().token;
  return stored !== null && own !== null && !isSamePerson(own, stored) ? null : stored;
}
