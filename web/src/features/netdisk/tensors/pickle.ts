// Reads a Python pickle without running anything of it: what it would import and call is only written down. Pure.
import { broken, Cursor, ViewFault } from "../viewing/bytes";

export type Value =
  | null
  | boolean
  | number
  | bigint
  | string
  | { kind: "bytes"; length: number }
  | { kind: "list" | "tuple" | "set"; items: Value[] }
  | { kind: "dict"; entries: [Value, Value][] }
  /** Something that is imported: `torch.FloatStorage`. */
  | { kind: "global"; name: string }
  /** A call with its arguments; `state` is given to the result. */
  | { kind: "call"; of: Value; args: Value; state: Value; entries: [Value, Value][]; items: Value[] }
  /** Something that is stored elsewhere. */
  | { kind: "elsewhere"; id: Value };

export interface Pickle {
  value: Value;
  /** All that is imported, in order. */
  globals: string[];
  /** Where the next one may begin. */
  end: number;
}

/** A checkpoint of ten thousand tensors with its optimizer takes a tenth. */
const mostSteps = 5_000_000;

type Mark = { kind: "mark" };
const mark: Mark = { kind: "mark" };
const isMark = (value: Value | Mark | undefined): value is Mark =>
  typeof value === "object" && value !== null && "kind" in value && value.kind === "mark";

class Machine {
  private stack: (Value | Mark)[] = [];
  private readonly memo = new Map<number, Value>();
  readonly globals = new Set<string>();

  constructor(private readonly cursor: Cursor) {}

  run(): Value {
    for (let step = 0; step < mostSteps; step += 1) {
      const code = this.cursor.u8();
      if (code === 0x2e) return this.pop();
      this.step(code);
    }
    throw new ViewFault("文件的内容太多，请下载后查看");
  }

  private step(code: number) {
    const act = this.acts[code];
    if (!act) throw broken(`pickle 中有未知指令 ${code}`);
    act();
  }

  private push(value: Value | Mark) {
    this.stack.push(value);
  }

  private pop(): Value {
    const value = this.stack.pop();
    if (value === undefined || isMark(value)) throw broken("pickle 的指令不完整");
    return value;
  }

  private top(): Value {
    const value = this.stack.at(-1);
    if (value === undefined || isMark(value)) throw broken("pickle 的指令不完整");
    return value;
  }

  /** What was pushed since the last mark. */
  private sinceMark(): Value[] {
    const at = this.stack.findLastIndex(isMark);
    if (at < 0) throw broken("pickle 的指令不完整");
    const values: Value[] = [];
    for (const value of this.stack.splice(at).slice(1)) if (!isMark(value)) values.push(value);
    return values;
  }

  private line(): string {
    const { bytes, at } = this.cursor;
    const end = bytes.indexOf(0x0a, at);
    if (end < 0) throw broken("pickle 的指令不完整");
    const text = this.cursor.text(end - at);
    this.cursor.take(1);
    return text;
  }

  private global(name: string) {
    this.globals.add(name);
    this.push({ kind: "global", name });
  }

  private call(of: Value, args: Value) {
    this.push({ kind: "call", of, args, state: null, entries: [], items: [] });
  }

  private setItems(pairs: Value[]) {
    const target = this.top();
    const entries: [Value, Value][] = [];
    for (let at = 0; at + 1 < pairs.length; at += 2) entries.push([pairs[at] ?? null, pairs[at + 1] ?? null]);
    if (typeof target === "object" && target && "entries" in target)
      for (const entry of entries) target.entries.push(entry);
  }

  private append(values: Value[]) {
    const target = this.top();
    if (typeof target === "object" && target && "items" in target)
      for (const value of values) target.items.push(value);
  }

  private recall(index: number) {
    const value = this.memo.get(index);
    if (value === undefined) throw broken("pickle 引用了不存在的对象");
    this.push(value);
  }

  /** An integer of any length, the lowest byte first. */
  private long(length: number) {
    if (length > 1024) throw broken("pickle 里的整数太长");
    let value = 0n;
    const bytes = this.cursor.take(length);
    for (let at = length - 1; at >= 0; at -= 1) value = (value << 8n) | BigInt(bytes[at] ?? 0);
    const negative = length > 0 && ((bytes[length - 1] ?? 0) & 0x80) !== 0;
    this.push(negative ? value - (1n << BigInt(8 * length)) : value);
  }

  private bytes(length: number) {
    this.cursor.take(length);
    this.push({ kind: "bytes", length });
  }

  private tuple(length: number) {
    const items: Value[] = [];
    for (let at = 0; at < length; at += 1) items.unshift(this.pop());
    this.push({ kind: "tuple", items });
  }

  private ints(text: string) {
    if (text === "00" || text === "01") return text === "01";
    const value = Number(text.replace(/L$/, ""));
    if (!Number.isFinite(value)) throw broken("pickle 里的数字");
    return value;
  }

  private readonly acts: Readonly<Record<number, () => void>> = {
    // The mark, the stack, the memory.
    40: () => this.push(mark),
    48: () => void this.stack.pop(),
    49: () => void this.sinceMark(),
    50: () => this.push(this.top()),
    112: () => this.memo.set(Number(this.line()), this.top()),
    113: () => this.memo.set(this.cursor.u8(), this.top()),
    114: () => this.memo.set(this.cursor.u32(), this.top()),
    148: () => this.memo.set(this.memo.size, this.top()),
    103: () => this.recall(Number(this.line())),
    104: () => this.recall(this.cursor.u8()),
    106: () => this.recall(this.cursor.u32()),
    // Plain values.
    78: () => this.push(null),
    136: () => this.push(true),
    137: () => this.push(false),
    73: () => this.push(this.ints(this.line())),
    74: () => this.push(this.cursor.i32()),
    75: () => this.push(this.cursor.u8()),
    77: () => this.push(this.cursor.u16()),
    76: () => this.push(this.ints(this.line())),
    138: () => this.long(this.cursor.u8()),
    139: () => this.long(this.cursor.u32()),
    70: () => this.push(Number(this.line())),
    71: () => this.push(this.cursor.f64(false)),
    83: () => this.push(this.line().replace(/^['"]|['"]$/g, "")),
    86: () => this.push(this.line()),
    84: () => this.push(this.cursor.text(this.cursor.u32())),
    85: () => this.push(this.cursor.text(this.cursor.u8())),
    88: () => this.push(this.cursor.text(this.cursor.u32())),
    140: () => this.push(this.cursor.text(this.cursor.u8())),
    141: () => this.push(this.cursor.text(this.cursor.size())),
    66: () => this.bytes(this.cursor.u32()),
    67: () => this.bytes(this.cursor.u8()),
    142: () => this.bytes(this.cursor.size()),
    150: () => this.bytes(this.cursor.size()),
    // Collections.
    93: () => this.push({ kind: "list", items: [] }),
    108: () => this.push({ kind: "list", items: this.sinceMark() }),
    97: () => {
      const value = this.pop();
      this.append([value]);
    },
    101: () => {
      const values = this.sinceMark();
      this.append(values);
    },
    41: () => this.push({ kind: "tuple", items: [] }),
    116: () => this.push({ kind: "tuple", items: this.sinceMark() }),
    133: () => this.tuple(1),
    134: () => this.tuple(2),
    135: () => this.tuple(3),
    125: () => this.push({ kind: "dict", entries: [] }),
    100: () => {
      const pairs = this.sinceMark();
      this.push({ kind: "dict", entries: [] });
      this.setItems(pairs);
    },
    115: () => {
      const value = this.pop();
      const key = this.pop();
      this.setItems([key, value]);
    },
    117: () => {
      const pairs = this.sinceMark();
      this.setItems(pairs);
    },
    143: () => this.push({ kind: "set", items: [] }),
    144: () => {
      const values = this.sinceMark();
      this.append(values);
    },
    145: () => this.push({ kind: "set", items: this.sinceMark() }),
    // What would be imported and called.
    99: () => this.global(`${this.line()}.${this.line()}`),
    147: () => {
      const name = this.pop();
      this.global(`${String(this.pop())}.${String(name)}`);
    },
    82: () => {
      const args = this.pop();
      this.call(this.pop(), args);
    },
    129: () => {
      const args = this.pop();
      this.call(this.pop(), args);
    },
    146: () => {
      const named = this.pop();
      const args = this.pop();
      this.call(this.pop(), { kind: "tuple", items: [args, named] });
    },
    111: () => {
      const [of = null, ...items] = this.sinceMark();
      this.call(of, { kind: "tuple", items });
    },
    105: () => {
      this.global(`${this.line()}.${this.line()}`);
      const of = this.pop();
      this.call(of, { kind: "tuple", items: this.sinceMark() });
    },
    98: () => {
      const state = this.pop();
      const target = this.top();
      if (typeof target === "object" && target && "state" in target) target.state = state;
    },
    80: () => this.push({ kind: "elsewhere", id: this.line() }),
    81: () => this.push({ kind: "elsewhere", id: this.pop() }),
    // What only says how the rest is written.
    128: () => void this.cursor.u8(),
    149: () => void this.cursor.u64(),
    151: () => {},
    152: () => {},
  };
}

/** The pickle that begins there. */
export function readPickle(bytes: Uint8Array<ArrayBuffer>, at = 0): Pickle {
  const cursor = new Cursor(bytes, "pickle ");
  cursor.take(at);
  const machine = new Machine(cursor);
  const value = machine.run();
  return { value, globals: Array.from(machine.globals), end: cursor.at };
}
