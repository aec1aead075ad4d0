// The uploads of this browser tab. They live outside of React and go on while other pages are visited; what belongs to
// the browser as a whole is here too: the guard against closing the tab, and the end of a session.
import { create } from "zustand";
import { readLocal } from "@/shared/lib/local-items";
import { randomId } from "@/shared/lib/random-id";
import { useSession } from "@/shared/stores/session";
import { type Picked, planUpload } from "./plan";
import { type QueueView, UploadQueue } from "./queue";
import { xhrTransport } from "./transport";

interface Uploads extends QueueView {
  /** Counts how often everything had been sent; with it the lists of the disk are old. */
  rounds: number;
  /** What failed last; a new object each time. */
  lastFailure: { path: string; reason: string } | null;
  /** How many failures the last round ended with. */
  lastFailed: number;
}

export const useUploads = create<Uploads>()(() => ({
  lines: [],
  conflicts: [],
  running: false,
  stopped: false,
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
  if (view.running) addEventListener("beforeunload", guardUnload);
  else removeEventListener("beforeunload", guardUnload);
  useUploads.setState(view);
}

// The public settings put it there each time they are fetched; the page shows nothing to upload with before.
const storageHost = () => readLocal("storageHost") || "/disk";

export const uploadQueue = new UploadQueue(xhrTransport(storageHost), {
  publish,
  onDone: ({ failed }) => useUploads.setState(({ rounds }) => ({ rounds: rounds + 1, lastFailed: failed })),
  onFailure: ({ path }, reason) => useUploads.setState({ lastFailure: { path, reason } }),
});

/** Whose jobs these are. */
let owner = 0;

/** Answers how many lines the panel got. */
export function enqueue(picked: readonly Picked[], folder: string): number {
  const plan = planUpload(picked, folder, () => randomId(12));
  owner = useSession.getState().id;
  uploadQueue.add(plan);
  return plan.entries.length;
}

// Signing out keeps the jobs for the same person; nobody else may see or send them.
useSession.subscribe(({ id }) => {
  if (owner === 0 || id === owner) return;
  if (id === 0) uploadQueue.stop();
  else {
    owner = 0;
    uploadQueue.clear();
  }
});
