// Passwords of links that were made in this tab. The server keeps only their hashes, so a link can be copied together
// with its password only until the page is reloaded.
import { create } from "zustand";
import { useSession } from "@/shared/stores/session";

export const useKnownPasswords = create<{ byHash: Readonly<Record<string, string>> }>()(() => ({
  byHash: {},
}));

export const rememberPassword = (hash: string, password: string) =>
  useKnownPasswords.setState(({ byHash }) => ({ byHash: { ...byHash, [hash]: password } }));

useSession.subscribe(({ id }, before) => {
  if (id !== before.id) useKnownPasswords.setState({ byHash: {} });
});
