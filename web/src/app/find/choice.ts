// What can be chosen in the search over everything: a place to go to, or something to do.
import type { IconName } from "@/shared/theme/icon-shapes";

export interface Choice {
  /** Unique among all choices, and the same the next time. */
  key: string;
  icon: IconName;
  title: string;
  /** More about it; may be empty. */
  about: string;
  act: { to: string } | { run: () => void };
}

export interface Section {
  title: string;
  choices: readonly Choice[];
}
