// The terminals of this browser tab. They live outside of React: a shell goes on, with all that it printed, while other
// pages are visited. Closing the page's tag or the browser tab ends them, and so does signing out.
import { create } from "zustand";
import { onPageClosed } from "@/shared/stores/closed-pages";
import { useSession } from "@/shared/stores/session";
import { type Modifier, modified } from "./keys";
import { Line, type Login, type Socket } from "./line";
import { Outlet } from "./outlet";
import type { Phase } from "./phase";
import { type Found, type NoteTone, Screen, type ScreenLooks } from "./screen";

export interface Target {
  /** Shown on the tab: the shell, or the host. */
  label: string;
  login: boolean;
  dial: (size: { cols: number; rows: number }) => Promise<Socket>;
  refusal: () => Promise<{ status: number; words: string }>;
}

export interface Terminal {
  id: number;
  label: string;
  phase: Phase;
  found: Found | null;
}

interface Place {
  terminals: readonly Terminal[];
  active: number | null;
}

interface Terminals {
  /** By the address of the page that they are on. */
  places: Readonly<Record<string, Place>>;
  /** Counts the wishes to search, and to leave the screen, by key. */
  searches: number;
  leaves: number;
  held: Modifier | null;
}

const none: Place = { terminals: [], active: null };
const fresh: Terminals = { places: {}, searches: 0, leaves: 0, held: null };

export const useTerminals = create<Terminals>()(() => fresh);

export const placeAt = (key: string) => (state: Terminals) => state.places[key] ?? none;

interface Parts {
  place: string;
  line: Line;
  screen: Screen;
}

const parts = new Map<number, Parts>();
let lastId = 0;

function setPlace(key: string, change: (place: Place) => Place) {
  useTerminals.setState(({ places }) => ({ places: { ...places, [key]: change(places[key] ?? none) } }));
}

function setTerminal(key: string, id: number, change: Partial<Terminal>) {
  setPlace(key, (place) => ({
    ...place,
    terminals: place.terminals.map((one) => (one.id === id ? { ...one, ...change } : one)),
  }));
}

/** A held modifier applies to one key. */
function alter(typed: string): string {
  const { held } = useTerminals.getState();
  if (held !== null) useTerminals.setState({ held: null });
  return modified(typed, held);
}

export const hold = (modifier: Modifier) =>
  useTerminals.setState(({ held }) => ({ held: held === modifier ? null : modifier }));

/** Adds a terminal to a page and shows it. */
export function openTerminal(place: string, target: Target, looks: ScreenLooks) {
  lastId += 1;
  const id = lastId;
  const screen = new Screen(
    {
      onInput: (bytes) => line.send(bytes),
      alter,
      onSize: (size) => line.resize(size),
      onFound: (found) => setTerminal(place, id, { found }),
      onSearchKey: () => useTerminals.setState(({ searches }) => ({ searches: searches + 1 })),
      onLeaveKey: () => useTerminals.setState(({ leaves }) => ({ leaves: leaves + 1 })),
    },
    looks,
  );
  const outlet = new Outlet(
    (bytes, done) => screen.write(bytes, done),
    (lost, done) => screen.note(`（输出太快，略过了 ${Math.round(lost / 1024 / 1024)} MB）`, "dim", done),
  );
  const line = new Line({
    manner: { login: target.login },
    dial: target.dial,
    refusal: target.refusal,
    size: () => screen.size,
    onBytes: (bytes) => outlet.push(bytes),
    onPhase: (phase) => {
      const before = phaseOf(place, id);
      setTerminal(place, id, { phase });
      const said = announcement(before, phase);
      if (said) outlet.after((done) => screen.note(said.words, said.tone, done));
    },
  });
  parts.set(id, { place, line, screen });
  setPlace(place, ({ terminals }) => ({
    terminals: [...terminals, { id, label: target.label, phase: line.phase, found: null }],
    active: id,
  }));
}

const phaseOf = (place: string, id: number) =>
  placeAt(place)(useTerminals.getState()).terminals.find((one) => one.id === id)?.phase;

/** Changes of the connection are written between the programs' output, in order. */
function announcement(before: Phase | undefined, phase: Phase): { words: string; tone: NoteTone } | null {
  if (before?.kind === "open" && phase.kind === "waiting") return { words: phase.words, tone: "fault" };
  if (before?.kind === "connecting" && before.attempt > 0 && phase.kind === "open")
    return { words: "已重新连接。这是一个新的 Shell。", tone: "dim" };
  // The close that follows the end changes nothing more.
  if (phase.kind === "over" && before?.kind !== "over")
    return { words: phase.words, tone: phase.failed ? "fault" : "dim" };
  return null;
}

export const screenOf = (id: number): Screen | undefined => parts.get(id)?.screen;

/** Called when the screen has its size; does nothing when it was begun already. */
export const begin = (id: number) => parts.get(id)?.line.begin();
/** Reconnects. */
export const connect = (id: number) => parts.get(id)?.line.connect();
export const logIn = (id: number, login: Login) => parts.get(id)?.line.login(login);
export const trust = (id: number) => parts.get(id)?.line.trust();

export const show = (place: string, id: number) => setPlace(place, (old) => ({ ...old, active: id }));

export function closeTerminal(id: number) {
  const part = parts.get(id);
  if (!part) return;
  parts.delete(id);
  part.line.close();
  part.screen.dispose();
  setPlace(part.place, ({ terminals, active }) => {
    const at = terminals.findIndex((one) => one.id === id);
    const left = terminals.filter((one) => one.id !== id);
    const neighbour = left[at] ?? left[at - 1];
    return { terminals: left, active: active === id ? (neighbour?.id ?? null) : active };
  });
}

export function setScreenLooks(looks: ScreenLooks) {
  for (const { screen } of parts.values()) screen.setLooks(looks);
}

// Nothing could show them again, and they count to the user's limit.
onPageClosed((address) => {
  for (const [id, { place }] of parts) if (place === address) closeTerminal(id);
});

// Another user must not see or continue a user's terminals.
useSession.subscribe(({ id }, before) => {
  if (id === before.id) return;
  for (const { line, screen } of parts.values()) {
    line.close();
    screen.dispose();
  }
  parts.clear();
  useTerminals.setState(fresh);
});

// Ctrl+W deletes a word in a shell and closes the tab in a browser.
window.addEventListener("beforeunload", (event) => {
  if (Array.from(parts.values()).some(({ line }) => line.phase.kind === "open")) event.preventDefault();
});

// The network is back before the next try would have found out.
window.addEventListener("online", () => {
  for (const { line } of parts.values()) if (line.phase.kind === "waiting") line.connect();
});
