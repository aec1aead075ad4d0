// What programs print, on its way to the screen. A screen draws slower than a network brings: what waits is bounded, and
// of too much the oldest goes, of which nobody would have seen anything.

/** Bytes that may wait. */
const most = 32 * 1024 * 1024;
/** Drawn at a time, so that keys are heard between. */
const portion = 256 * 1024;

export class Outlet {
  #waiting: Uint8Array[] = [];
  #bytes = 0;
  #drawing = false;
  #draw: (bytes: Uint8Array, done: () => void) => void;
  #onLost: (bytes: number) => void;

  /** `draw` calls back when it has drawn; `onLost` is told how many bytes were left out. */
  constructor(draw: (bytes: Uint8Array, done: () => void) => void, onLost: (bytes: number) => void) {
    this.#draw = draw;
    this.#onLost = onLost;
  }

  push(bytes: Uint8Array) {
    this.#waiting.push(bytes);
    this.#bytes += bytes.length;
    if (this.#bytes > most) this.#shed();
    if (!this.#drawing) this.#next();
  }

  #shed() {
    let lost = 0;
    while (this.#bytes > most / 2) {
      const oldest = this.#waiting.shift();
      if (!oldest) break;
      this.#bytes -= oldest.length;
      lost += oldest.length;
    }
    this.#onLost(lost);
  }

  #next() {
    const bytes = this.#waiting.shift();
    this.#drawing = bytes !== undefined;
    if (!bytes) return;
    if (bytes.length > portion) this.#waiting.unshift(bytes.subarray(portion));
    const part = bytes.subarray(0, portion);
    this.#bytes -= part.length;
    this.#draw(part, () => this.#next());
  }
}
