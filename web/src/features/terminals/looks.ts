// How terminals look in this browser: letters, colours, and whether their text is read aloud.
import { create } from "zustand";
import { readLocal, writeLocal } from "@/shared/lib/local-items";
import type { Scheme } from "@/shared/theme/tokens";

export type TerminalScheme = Scheme | "page";

export interface Looks {
  /** Pixels. */
  fontSize: number;
  scheme: TerminalScheme;
  screenReader: boolean;
}

export const smallest = 10;
export const largest = 24;

const standard: Looks = { fontSize: 13, scheme: "dark", screenReader: false };

function stored(): Looks {
  try {
    const { fontSize, scheme, screenReader }: Partial<Looks> = JSON.parse(readLocal("terminalLooks") ?? "{}");
    return {
      fontSize:
        typeof fontSize === "number" && fontSize >= smallest && fontSize <= largest
          ? fontSize
          : standard.fontSize,
      scheme: scheme === "light" || scheme === "page" ? scheme : standard.scheme,
      screenReader: screenReader === true,
    };
  } catch {
    return standard;
  }
}

export const useLooks = create<Looks>()(stored);

export function setLooks(change: Partial<Looks>) {
  useLooks.setState(change);
  writeLocal("terminalLooks", JSON.stringify(useLooks.getState()));
}

/** `page`: the present scheme of the other pages. */
export const schemeOf = ({ scheme }: Looks, page: Scheme): Scheme => (scheme === "page" ? page : scheme);
