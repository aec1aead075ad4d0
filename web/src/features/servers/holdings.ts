// Who holds which cards of a machine; pure.
import type { Gpu } from "@/shared/compute/api";

export interface Holding {
  username: string;
  mine: boolean;
  instance: string;
  /** Their numbers on the machine. */
  cards: number[];
  since: string;
}

/** By instance: the user's own first, then in the order of the cards. */
export function holdingsOf(gpus: readonly Pick<Gpu, "index" | "lease">[]): Holding[] {
  const holdings = new Map<string, Holding>();
  for (const { index, lease } of gpus) {
    if (!lease) continue;
    const known = holdings.get(lease.instance);
    if (known) known.cards.push(index);
    else {
      const { username, mine, instance, since } = lease;
      holdings.set(instance, { username, mine, instance, since, cards: [index] });
    }
  }
  return [...holdings.values()].toSorted((a, b) => Number(b.mine) - Number(a.mine));
}
