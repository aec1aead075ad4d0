// The uploads of this browser tab. They live outside of React and continue while other pages are visited; parts that
// concern the whole browser are here too: the guard against closing the tab, and the end of a session.
import { create } from "zustand";
import { trustedStorageHost } from "@/shared/api/public-settings";
import { noteWork } from "@/shared/lib/page-work";
import { randomId } from "@/shared/lib/random-id";
import { useSession } from "@/shared/stores/session";
import { fileIn } from "../disk-paths";
import { keepBook, leaveBook } from "./bookkeeping";
import { withExisting } from "./existing";
import { faultOfPick } from "./leftovers";
import { listFolder } from "./list-folder";
import { measureAll } from "./measure";
import type { Picked } from "./picked";
import { planUpload } from "./plan";
import { type QueueView, UploadQueue } from "./queue";
import { abandoned, forgetLine, forgetPieces, piecesUrl, type Unfinished } from "./remembered";
import { diskTransport } from "./transport";

export interface Uploads extends QueueView {
  /** Something was picked that is not in the queue yet. */
  preparing: boolean;
  /** Counts how often everything had been sent; with it the lists of the disk are old. */
  rounds: number;
  /** The last failure; a new object each time. */
  lastFailure: { path: string; reason: string } | null;
  /** How many failures the last round ended with. */
  lastFailed: number;
  /** Uploads that a reload interrupted, whose files have to be picked again. */
  leftovers: readonly Unfinished[];
}

export const useUploads = create<Uploads>()(() => ({
  lines: [],
  leftovers: [],
  preparing: false,
  conflicts: [],
  running: false,
  stopped: false,
  paused: false,
  speed: 0,
  percent: 0,
  size: 0,
  loaded: 0,
  rounds: 0,
  lastFailure: null,
  lastFailed: 0,
}));

function guardUnload(event: BeforeUnloadEvent) {
  event.preventDefault();
}

function publish(view: QueueView) {
  noteWork("uploads", view.running);
  if (view.running) addEventListener("beforeunload", guardUnload);
  else removeEventListener("beforeunload", guardUnload);
  useUploads.setState(view);
  keepBook(view.lines);
}

/** Several tabs share the record: an upload that another tab has resumed is no leftover. */
function lookForLeftovers() {
  const found = abandoned();
  const known = useUploads.getState().leftovers;
  const same = found.length === known.length && found.every(({ id }, index) => id === known[index]?.id);
  if (!same) useUploads.setState({ leftovers: found });
}

/** A tab that crashed sends nothing: it is only noticed by its silence. */
const lookEveryMs = 30_000;

addEventListener("pagehide", leaveBook);
addEventListener("storage", lookForLeftovers);
setInterval(lookForLeftovers, lookEveryMs);
lookForLeftovers();

export const uploadQueue = new UploadQueue(diskTransport(trustedStorageHost), {
  publish,
  onDone: ({ failed }) => useUploads.setState(({ rounds }) => ({ rounds: rounds + 1, lastFailed: failed })),
  onCancel: forgetPiecesOf,
  onFailure: ({ path }, reason) => useUploads.setState({ lastFailure: { path, reason } }),
});

/** Received pieces of these files are of no use any more. */
function forgetPiecesOf(jobs: readonly { path: string }[]) {
  for (const { path } of jobs) {
    const url = piecesUrl(path);
    forgetPieces(path);
    if (url) void import("./tus-transfer").then(({ endTus }) => endTus(url));
  }
}

/** The user of these jobs. */
let owner = 0;

export async function enqueue(picked: readonly Picked[], folder: string, resumes = false): Promise<void> {
  const { id } = useSession.getState();
  useUploads.setState({ preparing: true });
  const measured = await measureAll(picked);
  const plan = await withExisting(
    planUpload(measured, folder, () => randomId(12), resumes),
    folder,
    listFolder,
  );
  // Not if another user has signed in meanwhile.
  if (useSession.getState().id === id) {
    owner = id;
    uploadQueue.add(plan);
  }
  useUploads.setState({ preparing: false });
}

/** Resumes a leftover with its picked files; returns the reason when they do not match. */
export function takeUp(leftover: Unfinished, picked: readonly Picked[]): string | null {
  const fault = faultOfPick(leftover, picked);
  if (fault) return fault;
  forgetLine(leftover.id);
  void enqueue(picked, leftover.folder, true);
  lookForLeftovers();
  return null;
}

export function giveUp({ id, folder, name }: Unfinished) {
  forgetLine(id);
  forgetPiecesOf([{ path: fileIn(folder, name) }]);
  lookForLeftovers();
}

// Signing out keeps the jobs for the same user; others may not see or send them.
useSession.subscribe(({ id }, before) => {
  if (id !== before.id) lookForLeftovers();
  if (owner === 0 || id === owner) return;
  if (id === 0) uploadQueue.stop();
  else {
    owner = 0;
    uploadQueue.clear();
  }
});
