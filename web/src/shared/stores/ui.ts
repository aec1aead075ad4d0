// How this browser shows the portal: theme, tags, header, sidebar. Kept per browser, not per account.
import { create } from "zustand";
import { daysFromNow, readCookie, writeCookie } from "@/shared/lib/cookies";
import { readLocal, writeLocal } from "@/shared/lib/local-items";
import { defaultThemeColor, presets, type Scheme, type ThemeColor } from "@/shared/theme/tokens";

export type ThemeMode = "light" | "dark" | "system";
export type UiSize = "small" | "medium" | "large";

export interface UiSettings {
  theme: ThemeColor;
  mode: ThemeMode;
  /** The button of the settings drawer is in the top bar. */
  showSettings: boolean;
  tagsView: boolean;
  fixedHeader: boolean;
  sidebarLogo: boolean;
}

interface UiState extends UiSettings {
  sidebarOpen: boolean;
  size: UiSize;
  /** The shown page's preference, where `mode` leaves it open. */
  pageScheme: Scheme | null;
}

const sidebarCookie = "sidebar_status";
const sizeCookie = "size";

export const defaultSettings: UiSettings = {
  theme: defaultThemeColor,
  mode: "system",
  showSettings: true,
  tagsView: true,
  fixedHeader: true,
  sidebarLogo: true,
};

const isThemeColor = (value: unknown): value is ThemeColor => typeof value === "string" && value in presets;

function readSettings(): UiSettings {
  let stored: Partial<Record<keyof UiSettings, unknown>> = {};
  try {
    stored = JSON.parse(readLocal("uiSettings") ?? "{}");
  } catch {
    // A damaged entry: the defaults, and the next change overwrites it.
  }
  const flag = (name: "showSettings" | "tagsView" | "fixedHeader" | "sidebarLogo") =>
    typeof stored[name] === "boolean" ? stored[name] : defaultSettings[name];
  return {
    theme: isThemeColor(stored.theme) ? stored.theme : defaultSettings.theme,
    mode: stored.mode === "light" || stored.mode === "dark" ? stored.mode : "system",
    showSettings: flag("showSettings"),
    tagsView: flag("tagsView"),
    fixedHeader: flag("fixedHeader"),
    sidebarLogo: flag("sidebarLogo"),
  };
}

function readSize(): UiSize {
  const size = readCookie(sizeCookie);
  return size === "medium" || size === "large" ? size : "small";
}

export const useUi = create<UiState>()(() => ({
  ...readSettings(),
  sidebarOpen: readCookie(sidebarCookie) !== "0",
  size: readSize(),
  pageScheme: null,
}));

export const setPageScheme = (pageScheme: Scheme | null) => useUi.setState({ pageScheme });

export function changeSettings(change: Partial<UiSettings>) {
  useUi.setState(change);
  const { theme, mode, showSettings, tagsView, fixedHeader, sidebarLogo } = useUi.getState();
  writeLocal("uiSettings", JSON.stringify({ theme, mode, showSettings, tagsView, fixedHeader, sidebarLogo }));
}

export function setSidebarOpen(open: boolean) {
  writeCookie(sidebarCookie, open ? "1" : "0", { expires: daysFromNow(365) });
  useUi.setState({ sidebarOpen: open });
}

export function setSize(size: UiSize) {
  writeCookie(sizeCookie, size, { expires: daysFromNow(365) });
  useUi.setState({ size });
}
