// Every colour, size, radius and duration of the interface, and nothing else. `css-variables.ts` gives them to our
// own style sheets and `antd-theme.ts` to Ant Design; no other file may hold a colour.

export type Scheme = "light" | "dark";

/** One theme colour in each scheme: the solid background and the text on a card. */
interface Preset {
  name: string;
  light: string;
  dark: string;
  darkText: string;
}

/** Keyed by the light solid: that value is stored as the user's choice. */
export const presets = {
  "#166db6": { name: "湖蓝", light: "#166db6", dark: "#1f78c4", darkText: "#64aee6" },
  "#0b7a75": { name: "黛青", light: "#0b7a75", dark: "#0c827d", darkText: "#10b0a9" },
  "#1f7f45": { name: "松绿", light: "#1f7f45", dark: "#218548", darkText: "#2cb261" },
  "#4f5fd0": { name: "靛蓝", light: "#4f5fd0", dark: "#5d6cd4", darkText: "#8d98e1" },
  "#7d52c7": { name: "紫", light: "#7d52c7", dark: "#875fcb", darkText: "#ab90db" },
  "#b23a80": { name: "绛紫", light: "#b23a80", dark: "#c2458e", darkText: "#d681b3" },
  "#8f640f": { name: "赭石", light: "#8f640f", dark: "#9a6c10", darkText: "#d09116" },
  "#5a6b80": { name: "石墨", light: "#5a6b80", dark: "#63768d", darkText: "#8f9eb1" },
} satisfies Record<string, Preset>;

export type ThemeColor = keyof typeof presets;

export const defaultThemeColor: ThemeColor = "#166db6";

export const themeColors: readonly ThemeColor[] = [
  "#166db6",
  "#0b7a75",
  "#1f7f45",
  "#4f5fd0",
  "#7d52c7",
  "#b23a80",
  "#8f640f",
  "#5a6b80",
];

export interface Accent {
  primary: string;
  primaryHover: string;
  primaryActive: string;
  primaryText: string;
  primaryBg: string;
  primaryBorder: string;
}

/** The default colour's shades are chosen by hand; those of the others follow from the solid (`accent.ts`). */
export const defaultAccent: Record<Scheme, Accent> = {
  light: {
    primary: "#166db6",
    primaryHover: "#1e75c0",
    primaryActive: "#0f568f",
    primaryText: "#166db6",
    primaryBg: "#edf4fa",
    primaryBorder: "#a8cbe8",
  },
  dark: {
    primary: "#1f78c4",
    primaryHover: "#2877c0",
    primaryActive: "#1866a9",
    primaryText: "#64aee6",
    primaryBg: "#14283a",
    primaryBorder: "#265a85",
  },
};

const light = {
  text: "#1b212a",
  text2: "#4d5663",
  /** Notes, table heads, placeholders: the palest that still has a contrast of 4.5. */
  text3: "#646d79",
  /** Disabled only. */
  text4: "#a3abb6",
  layout: "#f4f6f8",
  card: "#ffffff",
  elevated: "#ffffff",
  sunken: "#f8f9fb",
  fill: "#eef1f4",
  fill2: "#e4e8ed",
  hover: "#f5f7f9",
  border: "#d5dae1",
  split: "#e8ebef",
  ok: "#1a7f4b",
  okLine: "#7cc29c",
  okBg: "#eaf6ef",
  info: "#1d63c9",
  infoLine: "#9cbff0",
  infoBg: "#ecf2fc",
  warn: "#9a5b00",
  warnLine: "#e2b566",
  warnBg: "#fdf5e6",
  err: "#c4312f",
  errLine: "#eca6a4",
  errBg: "#fdf0ef",
  gpuOther: "#a9b3bf",
  gpuOtherBg: "#eef1f4",
  gpuOtherLine: "#b9c1cb",
  menuBg: "#10161d",
  menuBg2: "#1b232d",
  menuLine: "#222b36",
  tooltip: "#10161d",
  popupShadow: "0 0 0 1px rgba(16,22,29,.06),0 6px 20px rgba(16,22,29,.12)",
  drawerShadow: "-1px 0 0 rgba(16,22,29,.06),-12px 0 32px rgba(16,22,29,.10)",
  scrim: "rgba(16,22,29,.32)",
};

export type Palette = typeof light;

const dark: Palette = {
  text: "#e4e8ee",
  text2: "#a9b2be",
  text3: "#8a94a1",
  text4: "#5a6470",
  layout: "#0e1217",
  card: "#171c23",
  elevated: "#1d232b",
  sunken: "#13181e",
  fill: "#222932",
  fill2: "#2c343f",
  hover: "#1c222a",
  border: "#343d49",
  split: "#262d37",
  ok: "#4fb57f",
  okLine: "#3d9165",
  okBg: "#15301f",
  info: "#6aa5f0",
  infoLine: "#345d94",
  infoBg: "#15243a",
  warn: "#d9a13f",
  warnLine: "#7d5d22",
  warnBg: "#2b2312",
  err: "#f0716c",
  errLine: "#8a3a38",
  errBg: "#331b1b",
  gpuOther: "#4a5461",
  gpuOtherBg: "#20262f",
  gpuOtherLine: "#414b57",
  menuBg: "#0a0d11",
  menuBg2: "#161c24",
  menuLine: "#1a2028",
  tooltip: "#2c343f",
  popupShadow: "0 0 0 1px #343d49,0 8px 24px rgba(0,0,0,.5)",
  drawerShadow: "-1px 0 0 #343d49,-12px 0 32px rgba(0,0,0,.45)",
  scrim: "rgba(0,0,0,.55)",
};

export const palettes: Record<Scheme, Palette> = { light, dark };

/** The same in both schemes. */
export const fixed = {
  /** Text on a solid ground. */
  onSolid: "#ffffff",
  menuText: "#a7b1bd",
  menuText2: "#7c8794",
  menuTextOn: "#e8edf3",
  menuWarn: "#d9a13f",
  newBadgeBg: "#1d3c57",
  newBadgeText: "#cfe4f5",
  /** Badges keep the light red in the dark scheme: white on the bright one would be unreadable. */
  badge: "#c4312f",
  /** Bars from 90 % of a quota. */
  amber: "#c9820f",
  tooltipText: "#e4e8ee",
  terminalBg: "#0d1117",
  terminalText: "#d5dbe3",
  terminalDim: "#7d8793",
  terminalFault: "#f0716c",
};

/** Colours of terminals; the names are xterm's. Dark is the default in either scheme, light is a choice. */
export const terminal = {
  dark: {
    background: fixed.terminalBg,
    foreground: fixed.terminalText,
    cursor: fixed.terminalText,
    cursorAccent: fixed.terminalBg,
    selectionBackground: "#2f4d6b",
    black: "#6b7684",
    red: "#f0716c",
    green: "#6cc48f",
    yellow: "#d9b04f",
    blue: "#6cb0f0",
    magenta: "#c79bf2",
    cyan: "#4fc3c9",
    white: "#d5dbe3",
    brightBlack: "#8a94a1",
    brightRed: "#ff938e",
    brightGreen: "#8bdcab",
    brightYellow: "#f0cb73",
    brightBlue: "#93c8fb",
    brightMagenta: "#dcbcfa",
    brightCyan: "#7cdde2",
    brightWhite: "#f5f7fa",
  },
  light: {
    background: "#ffffff",
    foreground: "#1b212a",
    cursor: "#1b212a",
    cursorAccent: "#ffffff",
    selectionBackground: "#bcd8f2",
    black: "#1b212a",
    red: "#c4312f",
    green: "#1a7f4b",
    yellow: "#8a5a00",
    blue: "#1d63c9",
    magenta: "#7d3fb5",
    cyan: "#0b6f78",
    white: "#646d79",
    brightBlack: "#5b6470",
    brightRed: "#a82523",
    brightGreen: "#12663a",
    brightYellow: "#704800",
    brightBlue: "#134fa6",
    brightMagenta: "#652f96",
    brightCyan: "#075860",
    brightWhite: "#4d5663",
  },
} satisfies Record<Scheme, Record<string, string>>;

/** Matches of a terminal's search, and the current one. */
export const terminalMatch = {
  dark: { match: "#5c4a12", matchActive: "#a8741a" },
  light: { match: "#fbe6a6", matchActive: "#f0b93f" },
} satisfies Record<Scheme, object>;

export const fontSans = '"PingFang SC","Microsoft YaHei","Noto Sans SC","Noto Sans CJK SC",sans-serif';
export const fontMono =
  'ui-monospace,"SF Mono",Menlo,Consolas,"Noto Sans Mono CJK SC","DejaVu Sans Mono",monospace';

export const font = { xs: 11, sm: 12, body: 13, lg: 14, drawer: 16, page: 18, figure: 22 };
export const line = { xs: 16, sm: 18, body: 20, lg: 22, drawer: 24, page: 26, figure: 30 };
export const space = { xxs: 4, xs: 8, sm: 12, md: 16, lg: 24 };
export const radius = { sm: 4, md: 6, lg: 8 };
/** Rows · default · drawers and dialogues · the main action · touch. */
export const control = { row: 24, base: 28, dialog: 32, main: 40, finger: 44 };
export const frame = { menu: 210, menuCollapsed: 56, menuDrawer: 248, brand: 56, top: 48, tags: 34 };
export const motion = { fast: "0.12s", mid: "0.2s", ease: "cubic-bezier(.2,0,0,1)" };
