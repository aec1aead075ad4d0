// What a page and its worker say to each other.

export type ToWorker =
  | { kind: "question"; size: number; question: unknown }
  | { kind: "bytes"; id: number; bytes: Uint8Array<ArrayBuffer> };

export type FromWorker<Answer> =
  | { kind: "read"; id: number; begin: number; end: number }
  | { kind: "answer"; answer: Answer }
  | { kind: "fault"; words: string };
