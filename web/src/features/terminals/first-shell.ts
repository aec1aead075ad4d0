// Which shell a terminal's page opens first; pure.
import { ANY_SHELL } from "@/shared/compute/links";

/** What is known of the shells in an instance. */
export interface KnownShells {
  /** The best one first. */
  shells: readonly string[] | undefined;
  pending: boolean;
}

export const isAnyShell = (word: string) => word === ANY_SHELL;

/** What the address names, or else the best. Nothing as long as that is looked for; `sh` says why it does not open. */
export function firstShell(word: string, { shells, pending }: KnownShells): string | undefined {
  if (!isAnyShell(word)) return word;
  return shells?.[0] ?? (pending ? undefined : "sh");
}
