import { theme } from "antd";
import { describe, expect, it } from "vitest";
import { accentOf } from "./accent";
import { antdTheme } from "./antd-theme";
import { applyCssVariables } from "./css-variables";
import { defaultThemeColor, fixed, palettes, presets, type Scheme, themeColors } from "./tokens";

function luminance(hex: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(one: string, other: string): number {
  const [high = 0, low = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (high + 0.05) / (low + 0.05);
}

describe("theme colours", () => {
  it("S104 S404 there are eight, and the default is #166db6", () => {
    expect(themeColors).toHaveLength(8);
    expect(new Set(themeColors)).toEqual(new Set(Object.keys(presets)));
    expect(defaultThemeColor).toBe("#166db6");
  });

  const each = themeColors.flatMap((color) =>
    (["light", "dark"] satisfies Scheme[]).map((scheme) => [presets[color].name, color, scheme] as const),
  );

  it.each(each)("%s (%s) can be read in %s", (_name, color, scheme) => {
    const accent = accentOf(color, scheme);
    const { card, menuBg } = palettes[scheme];
    // White on the solid has a contrast of 4.5 in the light scheme; in the dark one buttons are a little brighter.
    expect(contrast(fixed.onSolid, accent.primary)).toBeGreaterThan(scheme === "light" ? 4.9 : 4.4);
    expect(contrast(fixed.onSolid, accent.primaryHover)).toBeGreaterThan(4.5);
    expect(contrast(accent.primary, menuBg)).toBeGreaterThan(3);
    expect(contrast(accent.primaryText, card)).toBeGreaterThan(scheme === "light" ? 4.5 : 5.9);
  });

  it.each(each)("%s (%s) can be read under the mouse in %s", (_name, color, scheme) => {
    const { components, token } = antdTheme(color, scheme);
    for (const words of [token?.colorLinkHover, components?.Button?.defaultHoverColor]) {
      expect(contrast(String(words), palettes[scheme].card)).toBeGreaterThan(4.5);
    }
  });

  it.each(["light", "dark"] satisfies Scheme[])("words can be read in %s", (scheme) => {
    const p = palettes[scheme];
    for (const words of [p.text, p.text2, p.text3, p.ok, p.info, p.warn, p.err]) {
      expect(contrast(words, p.card)).toBeGreaterThan(4.5);
    }
  });

  it.each(each)("Ant Design has the very same %s (%s) in %s", (_name, color, scheme) => {
    const token = theme.getDesignToken(antdTheme(color, scheme));
    const accent = accentOf(color, scheme);
    const p = palettes[scheme];
    expect(token).toMatchObject({
      colorPrimary: accent.primary,
      colorPrimaryHover: accent.primaryHover,
      colorLink: accent.primaryText,
      colorSuccess: p.ok,
      colorInfo: p.info,
      colorWarning: p.warn,
      colorError: p.err,
      colorErrorBg: p.errBg,
      colorBgContainer: p.card,
      colorBgElevated: p.elevated,
      colorText: p.text,
      colorBorder: p.border,
      controlHeightSM: 28,
      fontSize: 13,
    });
  });

  it("the style sheets get them as variables on the document", () => {
    applyCssVariables("#7d52c7", "dark", false);
    const root = document.documentElement;
    expect(root.style.getPropertyValue("--c-primary")).toBe("#875fcb");
    expect(root.style.getPropertyValue("--c-text2")).toBe(palettes.dark.text2);
    expect(root.style.getPropertyValue("--frame-menu")).toBe("210px");
    expect(root.classList.contains("dark")).toBe(true);
    applyCssVariables(defaultThemeColor, "light", true);
    expect(root.classList.contains("dark")).toBe(false);
  });
});
