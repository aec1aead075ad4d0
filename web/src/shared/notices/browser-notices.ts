// Notices that the browser shows outside of the page, while the page is not looked at. Only where the browser allows it:
// over HTTPS or on the machine itself, and after the user has agreed.
import { create } from "zustand";
import { readLocal, writeLocal } from "@/shared/lib/local-items";

/** `insecure`: over plain HTTP no browser shows any. */
export type BrowserNotices = "unsupported" | "insecure" | "denied" | "off" | "on";

const isWanted = () => readLocal("browserNotices") === "on";

function stateNow(wanted: boolean): BrowserNotices {
  if (!globalThis.isSecureContext) return "insecure";
  if (typeof Notification === "undefined") return "unsupported";
  if (Notification.permission === "denied") return "denied";
  return wanted && Notification.permission === "granted" ? "on" : "off";
}

export const useBrowserNotices = create<{ state: BrowserNotices }>()(() => ({ state: stateNow(isWanted()) }));

/** Asks the user, who may refuse. */
export async function turnOnBrowserNotices() {
  const permission = await Notification.requestPermission();
  if (permission === "granted") writeLocal("browserNotices", "on");
  useBrowserNotices.setState({ state: stateNow(isWanted()) });
}

export function turnOffBrowserNotices() {
  writeLocal("browserNotices", "off");
  useBrowserNotices.setState({ state: stateNow(false) });
}

interface ShownNotice {
  id: string;
  title: string;
  words: string;
}

/** Tabs that show the same one replace each other's. Phones' browsers leave this to service workers, and throw. */
export function showBrowserNotice({ id, title, words }: ShownNotice, onOpen: () => void) {
  try {
    const shown = new Notification(title, { body: words, tag: id, lang: "zh-CN", icon: "/logo.svg" });
    shown.onclick = () => {
      window.focus();
      shown.close();
      onOpen();
    };
  } catch {
    useBrowserNotices.setState({ state: "unsupported" });
  }
}
