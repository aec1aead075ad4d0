// The shades of a theme colour that are not drawn by hand, computed from its solid.
import {
  type Accent,
  defaultAccent,
  defaultThemeColor,
  palettes,
  presets,
  type Scheme,
  type ThemeColor,
} from "./tokens";

type Rgb = [number, number, number];

function parse(hex: string): Rgb {
  const value = Number.parseInt(hex.slice(1), 16);
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}

function format(rgb: Rgb): string {
  return `#${rgb.map((part) => Math.round(part).toString(16).padStart(2, "0")).join("")}`;
}

/** `share` of `over` laid on `ground`. */
export function mix(over: string, ground: string, share: number): string {
  const [r, g, b] = parse(over);
  const [gr, gg, gb] = parse(ground);
  const blend = (top: number, bottom: number) => top * share + bottom * (1 - share);
  return format([blend(r, gr), blend(g, gg), blend(b, gb)]);
}

/** Moves the lightness by `points` per cent, towards white or black. */
export function lighten(hex: string, points: number): string {
  const target = points > 0 ? "#ffffff" : "#000000";
  const [r, g, b] = parse(hex);
  const lightness = (Math.max(r, g, b) + Math.min(r, g, b)) / 2 / 255;
  const room = points > 0 ? 1 - lightness : lightness;
  return mix(target, hex, Math.min(1, Math.abs(points) / 100 / room));
}

function luminance(hex: string): number {
  const [r, g, b] = parse(hex).map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * (r ?? 0) + 0.7152 * (g ?? 0) + 0.0722 * (b ?? 0);
}

/** The contrast of two colours (WCAG 2): 1 is the minimum, 21 is black on white. */
export function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

/** A little lighter, as far as white stays readable on it; else a little darker. */
function hoverOf(primary: string): string {
  const lighter = [6, 5, 4, 3, 2].map((points) => lighten(primary, points));
  return lighter.find((color) => contrast("#ffffff", color) >= 4.5) ?? lighten(primary, -4);
}

export function accentOf(color: ThemeColor, scheme: Scheme): Accent {
  if (color === defaultThemeColor) return defaultAccent[scheme];
  const preset = presets[color];
  const primary = preset[scheme];
  const card = palettes[scheme].card;
  return {
    primary,
    primaryHover: hoverOf(primary),
    primaryActive: lighten(primary, -8),
    primaryText: scheme === "dark" ? preset.darkText : primary,
    primaryBg: mix(primary, card, scheme === "dark" ? 0.16 : 0.08),
    primaryBorder: mix(primary, card, 0.38),
  };
}
