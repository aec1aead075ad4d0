// Keys that a phone's keyboard lacks, and the effect of a held Ctrl or Alt on the next letter. Without I/O.

export type Modifier = "ctrl" | "alt";

export type ExtraKey = { label: string; name: string } & ({ modifier: Modifier } | { sends: string });

const esc = "\u001b";

/** `name` is for screen readers. Arrows in the form that every shell takes. */
export const extraKeys: readonly ExtraKey[] = [
  { label: "Esc", name: "Esc", sends: esc },
  { label: "Tab", name: "Tab", sends: "\t" },
  { label: "Ctrl", name: "Ctrl", modifier: "ctrl" },
  { label: "Alt", name: "Alt", modifier: "alt" },
  { label: "↑", name: "上", sends: `${esc}[A` },
  { label: "↓", name: "下", sends: `${esc}[B` },
  { label: "←", name: "左", sends: `${esc}[D` },
  { label: "→", name: "右", sends: `${esc}[C` },
];

const control = (letter: string) => String.fromCharCode(letter.toUpperCase().charCodeAt(0) & 0x1f);

/** The input with the held modifier; longer input, such as a paste, is not changed. */
export function modified(typed: string, held: Modifier | null): string {
  if (held === null || typed.length !== 1) return typed;
  if (held === "alt") return `${esc}${typed}`;
  return /^[@-_a-z ]$/i.test(typed) ? control(typed) : typed;
}
