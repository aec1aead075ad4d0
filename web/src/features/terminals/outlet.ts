// The buffer between programs' output and the screen, which renders slower than a network delivers. It is bounded and
// drops the oldest output, which would have scrolled away unread. Our own messages keep their position.

/** Bytes that may wait. */
const most = 32 * 1024 * 1024;
/** Drawn at a time, so that keys are heard between. */
const portion = 256 * 1024;

/** Draws something and calls back when it has. */
type Step = (done: () => void) => void;

export class Outlet {
  #waiting: (Uint8Array | Step)[] = [];
  #bytes = 0;
  #drawing = false;
  #draw: (bytes: Uint8Array, done: () => void) => void;
  #lost: (bytes: number, done: () => void) => void;

  /** `draw` draws bytes; `lost` reports in their place how many were dropped. */
  constructor(
    draw: (bytes: Uint8Array, done: () => void) => void,
    lost: (bytes: number, done: () => void) => void,
  ) {
    this.#draw = draw;
    this.#lost = lost;
  }

  push(bytes: Uint8Array) {
    this.#bytes += bytes.length;
    this.#add(bytes);
    if (this.#bytes > most) this.#shed();
  }

  /** Runs a step when all earlier output is drawn. */
  after(step: Step) {
    this.#add(step);
  }

  #add(one: Uint8Array | Step) {
    this.#waiting.push(one);
    if (!this.#drawing) this.#next();
  }

  #shed() {
    const before = this.#bytes;
    this.#waiting = this.#waiting.filter((one) => {
      const goes = one instanceof Uint8Array && this.#bytes > most / 2;
      if (goes) this.#bytes -= one.length;
      return !goes;
    });
    const lost = before - this.#bytes;
    this.#waiting.unshift((done) => this.#lost(lost, done));
  }

  #next() {
    const one = this.#waiting.shift();
    this.#drawing = one !== undefined;
    if (!one) return;
    const done = () => this.#next();
    if (!(one instanceof Uint8Array)) {
      one(done);
      return;
    }
    if (one.length > portion) this.#waiting.unshift(one.subarray(portion));
    const part = one.subarray(0, portion);
    this.#bytes -= part.length;
    this.#draw(part, done);
  }
}
