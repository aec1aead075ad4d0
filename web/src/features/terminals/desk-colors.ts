// The colours around a screen, which go with the terminal's own scheme and not with the page's.
import { palettes, type Scheme, terminal } from "@/shared/theme/tokens";

export function deskColors(scheme: Scheme): Record<`--term-${string}`, string> {
  const { background, foreground } = terminal[scheme];
  const { text3, sunken, split, elevated, ok, warn, warnBg } = palettes[scheme];
  return {
    "--term-bg": background,
    "--term-text": foreground,
    "--term-dim": text3,
    "--term-bar": sunken,
    "--term-line": split,
    "--term-raised": elevated,
    "--term-ok": ok,
    "--term-warn": warn,
    "--term-warn-bg": warnBg,
  };
}
