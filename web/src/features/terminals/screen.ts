// A screen: xterm in an element of its own, which is moved in and out of the page. Loaded only with the pages of
// terminals.
import { FitAddon } from "@xterm/addon-fit";
import { type ISearchOptions, SearchAddon } from "@xterm/addon-search";
import { Unicode11Addon } from "@xterm/addon-unicode11";
import { WebLinksAddon } from "@xterm/addon-web-links";
import { Terminal } from "@xterm/xterm";
import "@xterm/xterm/css/xterm.css";
import { fontMono, type Scheme, terminal as terminalColors, terminalMatch } from "@/shared/theme/tokens";
import { copyToClipboard } from "@/shared/ui/copy-to-clipboard";
import type { Size } from "./line";

export interface ScreenLooks {
  fontSize: number;
  scheme: Scheme;
  screenReader: boolean;
}

export interface Found {
  /** From 0; -1 when there are too many to be counted. */
  index: number;
  count: number;
}

interface ScreenInput {
  /** Keys, pastes and answers of the screen itself, as bytes. */
  onInput: (bytes: Uint8Array<ArrayBuffer>) => void;
  /** Changes typed input before it is sent. */
  alter: (typed: string) => string;
  onSize: (size: Size) => void;
  onFound: (found: Found) => void;
  onSearchKey: () => void;
  onLeaveKey: () => void;
}

const scrollback = 10_000;

/** The tone of a line of the portal's own in the output. */
export type NoteTone = "dim" | "fault";

export class Screen {
  readonly element = document.createElement("div");
  #terminal: Terminal;
  #fit = new FitAddon();
  #search = new SearchAddon({ highlightLimit: 1000 });
  #scheme: Scheme;
  #size: Size;

  constructor(input: ScreenInput, looks: ScreenLooks) {
    this.#scheme = looks.scheme;
    this.#terminal = new Terminal({
      // The marks of a search and wide characters are behind it.
      allowProposedApi: true,
      cursorBlink: true,
      fontFamily: fontMono,
      minimumContrastRatio: 4.5,
      scrollback,
      ...this.#options(looks),
    });
    const terminal = this.#terminal;
    terminal.loadAddon(this.#fit);
    terminal.loadAddon(this.#search);
    terminal.loadAddon(new WebLinksAddon(openLink));
    terminal.loadAddon(new Unicode11Addon());
    terminal.unicode.activeVersion = "11";
    const encoder = new TextEncoder();
    terminal.onData((typed) => input.onInput(encoder.encode(input.alter(typed))));
    // Mouse reports of old programs are bytes, not letters.
    terminal.onBinary((bytes) => input.onInput(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0))));
    this.#size = { cols: terminal.cols, rows: terminal.rows };
    terminal.onResize(({ cols, rows }) => {
      this.#size = { cols, rows };
      input.onSize(this.#size);
    });
    this.#search.onDidChangeResults(({ resultIndex, resultCount }) =>
      input.onFound({ index: resultIndex, count: resultCount }),
    );
    terminal.attachCustomKeyEventHandler((event) => this.#mayTakeKey(event, input));
    this.element.style.height = "100%";
    this.element.addEventListener("mouseup", () => void this.copySelection());
    this.element.addEventListener("contextmenu", (event) => this.#onContextMenu(event));
  }

  get size(): Size {
    return this.#size;
  }

  /** Calls the listener on each new size; returns its removal. */
  onSize = (listener: () => void): (() => void) => {
    const { dispose } = this.#terminal.onResize(listener);
    return dispose;
  };

  #options({ fontSize, scheme, screenReader }: ScreenLooks) {
    return { fontSize, screenReaderMode: screenReader, theme: terminalColors[scheme] };
  }

  setLooks(looks: ScreenLooks) {
    this.#scheme = looks.scheme;
    Object.assign(this.#terminal.options, this.#options(looks));
    this.fit();
  }

  /** Moves it into the page. It is drawn for the first time there, because measuring letters needs a page. */
  attach(parent: HTMLElement) {
    parent.append(this.element);
    if (!this.#terminal.element) this.#terminal.open(this.element);
    this.fit();
  }

  /** Takes as many rows and columns as there is room for. */
  fit() {
    if (this.element.clientHeight > 0) this.#fit.fit();
  }

  focus() {
    this.#terminal.focus();
  }

  write(bytes: Uint8Array, done?: () => void) {
    this.#terminal.write(bytes, done);
  }

  note(words: string, tone: NoteTone, done?: () => void) {
    const color = tone === "fault" ? 31 : 90;
    // The modes that a program left behind, such as reports of the mouse, end with it.
    const leave = "\u001b[?1000l\u001b[?1002l\u001b[?1003l\u001b[?2004l\u001b[?25h\u001b[0m";
    // So does its alternate screen, once earlier output is processed. Leaving it when it is not active would move the
    // cursor to the top.
    this.#terminal.write("", () => {
      const back = this.#terminal.buffer.active.type === "alternate" ? "\u001b[?1049l" : "";
      this.#terminal.write(`${back}${leave}\r\n\u001b[${color}m${words}\u001b[0m\r\n`, done);
    });
  }

  /** As if typed. Arrow keys are sent in the mode that the program requested. */
  press(keys: string) {
    const { applicationCursorKeysMode } = this.#terminal.modes;
    this.#terminal.input(applicationCursorKeysMode ? keys.replace("\u001b[", "\u001bO") : keys);
  }

  /** False when nothing is selected or the browser does not allow it. */
  async copySelection(): Promise<boolean> {
    const selected = this.#terminal.getSelection();
    return selected !== "" && copyToClipboard(selected);
  }

  async paste(): Promise<void> {
    this.#terminal.paste(await navigator.clipboard.readText());
  }

  find(text: string, step: "next" | "previous" | "typing") {
    const { match, matchActive } = terminalMatch[this.#scheme];
    const options: ISearchOptions = {
      incremental: step === "typing",
      decorations: {
        matchBackground: match,
        matchOverviewRuler: match,
        activeMatchBackground: matchActive,
        activeMatchColorOverviewRuler: matchActive,
      },
    };
    if (step === "previous") this.#search.findPrevious(text, options);
    else this.#search.findNext(text, options);
  }

  endSearch() {
    this.#search.clearDecorations();
    this.#terminal.clearSelection();
  }

  clear() {
    this.#terminal.clear();
  }

  dispose() {
    this.#terminal.dispose();
    this.element.remove();
  }

  /** Handles our own and the browser's shortcuts; returns whether the program gets the key. */
  #mayTakeKey(event: KeyboardEvent, { onSearchKey, onLeaveKey }: ScreenInput): boolean {
    if (event.type !== "keydown") return true;
    const { ctrlKey, shiftKey, code } = event;
    // The browser pastes by itself.
    if (shiftKey && code === "Insert") return false;
    if (!ctrlKey || !shiftKey) return true;
    if (code === "KeyV") return false;
    if (code === "KeyC") void this.copySelection();
    else if (code === "KeyF") onSearchKey();
    else if (code === "F6") onLeaveKey();
    else return true;
    event.preventDefault();
    return false;
  }

  /** Where the clipboard can be read, a right click pastes; elsewhere it opens the browser's menu. */
  #onContextMenu(event: MouseEvent) {
    if (!canPaste()) return;
    event.preventDefault();
    this.paste().catch(() => {
      // Not allowed: the keys still paste.
    });
  }
}

export const canPaste = () => window.isSecureContext && typeof navigator.clipboard?.readText === "function";

/** Opens only web addresses in a program's output, without a referrer. */
function openLink(_: MouseEvent, address: string) {
  window.open(address, "_blank", "noopener,noreferrer");
}
