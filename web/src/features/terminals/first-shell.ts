// Which shell a terminal's page opens first; pure.
import { ANY_SHELL } from "@/shared/compute/links";

/** The shells of an instance, as far as they are loaded. */
export interface KnownShells {
  /** The best one first. */
  shells: readonly string[] | undefined;
  pending: boolean;
}

export const isAnyShell = (word: string) => word === ANY_SHELL;

/**
 * The shell in the URL, or the best one; undefined while loading. `sh` if there is none: its failure gives the reason.
 */
export function firstShell(word: string, { shells, pending }: KnownShells): string | undefined {
  if (!isAnyShell(word)) return word;
  return shells?.[0] ?? (pending ? undefined : "sh");
}
