// The tokens as CSS variables: what our own style sheets may use. `text2` becomes `--c-text2`, and so on.
import { accentOf } from "./accent";
import * as tokens from "./tokens";

const kebab = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

function entries(prefix: string, values: Record<string, string | number>): [string, string][] {
  return Object.entries(values).map(([name, value]) => [
    `--${prefix}-${kebab(name)}`,
    typeof value === "number" ? `${value}px` : value,
  ]);
}

export function cssVariables(
  color: tokens.ThemeColor,
  scheme: tokens.Scheme,
  still = false,
): [string, string][] {
  const { fast, mid, ease } = tokens.motion;
  return [
    ...entries("c", { ...accentOf(color, scheme), ...tokens.palettes[scheme], ...tokens.fixed }),
    ...entries("ansi", tokens.terminal.dark),
    ...entries("ansi", tokens.terminalMatch.dark),
    ...entries("font", tokens.font),
    ...entries("line", tokens.line),
    ...entries("space", tokens.space),
    ...entries("r", tokens.radius),
    ...entries("h", tokens.control),
    ...entries("frame", tokens.frame),
    ["--f-sans", tokens.fontSans],
    ["--f-mono", tokens.fontMono],
    ["--fast", still ? "0s" : `${fast} ease-out`],
    ["--mid", still ? "0s" : `${mid} ${ease}`],
  ];
}

/** Puts the variables on the document, so that portals and popups have them too. */
export function applyCssVariables(color: tokens.ThemeColor, scheme: tokens.Scheme, still: boolean) {
  const root = document.documentElement;
  for (const [name, value] of cssVariables(color, scheme, still)) root.style.setProperty(name, value);
  root.classList.toggle("dark", scheme === "dark");
}
