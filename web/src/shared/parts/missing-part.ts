// Parts of the page that are loaded on demand. After an update the parts of the former version are gone, so the page
// loads itself anew, once; it never does so twice in a row for the same reason.
import { checkLine } from "@/shared/api/line";
import { reloadPage } from "@/shared/lib/reload";

/** Browsers word a module that did not load each in their own way; the style sheets are Vite's. */
const moduleWords = /dynamically imported module|importing a module|module script/i;
const styleWords = /Unable to preload CSS/i;

export const isMissingPart = (error: unknown) =>
  error instanceof Error && (moduleWords.test(error.message) || styleWords.test(error.message));

/** Why a part is missing, and what happens now. */
export type PartState =
  /** The portal does not answer. */
  | "offline"
  /** The portal has another version, and the page is being loaded anew. */
  | "updated"
  /** The part was broken off on its way, and the page is being loaded anew. */
  | "broken"
  /** Loading anew did not help. */
  | "missing";

const storageKey = "yunlab_reload";
/** Within this time, in milliseconds, another fault at the same address is the same fault. */
const sameFault = 60_000;

const mark = () => location.pathname;

function wasReloaded(now: number): boolean {
  try {
    const [address, time] = (sessionStorage.getItem(storageKey) ?? "").split("\n");
    return address === mark() && now - Number(time) < sameFault;
  } catch {
    // Without storage it could not be told from a loop.
    return true;
  }
}

function noteReload(now: number) {
  try {
    sessionStorage.setItem(storageKey, `${mark()}\n${now}`);
  } catch {
    // See `wasReloaded`.
  }
}

/** Whether the portal serves another entry than the one that runs here. */
async function isUpdated(): Promise<boolean> {
  const entry = document.querySelector<HTMLScriptElement>("script[type=module][src]")?.getAttribute("src");
  if (!entry) return false;
  try {
    // biome-ignore lint/style/noRestrictedGlobals: a file of the page, no call
    const answer = await fetch("/", { cache: "no-store", credentials: "omit" });
    return answer.ok && !(await answer.text()).includes(entry);
  } catch {
    // Broken off again: loading anew does no harm, whatever it was.
    return false;
  }
}

/** Finds out why a part is missing. Reloads the page after `updated` and `broken`. */
export async function answerMissingPart(now = Date.now()): Promise<PartState> {
  if (!(await checkLine())) return "offline";
  if (wasReloaded(now)) return "missing";
  const state = (await isUpdated()) ? "updated" : "broken";
  noteReload(now);
  return state;
}

/** Loads a part. What was broken off is asked for once more: browsers abort downloads when the network changes. */
export async function loadPart<Part>(load: () => Promise<Part>): Promise<Part> {
  try {
    return await load();
  } catch (error) {
    // Vite takes a style sheet that failed for loaded, so the part would come without it.
    if (!isMissingPart(error) || styleWords.test(error instanceof Error ? error.message : "")) throw error;
    return load();
  }
}

/** Long enough to be read, in milliseconds. */
const reading = 1_200;

/** Reloads the page when its words could be read. */
export function reloadSoon(): () => void {
  const timer = setTimeout(reloadPage, reading);
  return () => clearTimeout(timer);
}
