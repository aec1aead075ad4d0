// The files that a visitor sends, as long as the page is open.
import { useEffect, useRef, useState } from "react";
import { noteWork } from "@/shared/lib/page-work";
import { randomId } from "@/shared/lib/random-id";
import { diskRoot } from "../disk-paths";
import { measureAll } from "../uploads/measure";
import type { Picked } from "../uploads/picked";
import { planUpload } from "../uploads/plan";
import { type QueueView, UploadQueue } from "../uploads/queue";
import { collectTransport, sentName } from "./collecting";
import type { Spot } from "./spot";

const nothing: QueueView = {
  lines: [],
  conflicts: [],
  running: false,
  stopped: false,
  paused: false,
  speed: 0,
  percent: 0,
  size: 0,
  loaded: 0,
};

function guardUnload(event: BeforeUnloadEvent) {
  event.preventDefault();
}

export function useCollect(spot: Spot, pass: string | null, onEnd: () => void) {
  const [view, setView] = useState(nothing);
  const latest = useRef({ pass, onEnd });
  useEffect(() => {
    latest.current = { pass, onEnd };
  });
  const [queue] = useState(
    () =>
      new UploadQueue(
        collectTransport(
          spot,
          () => latest.current.pass,
          () => latest.current.onEnd(),
        ),
        { publish: setView, onDone: () => {}, onFailure: () => {} },
      ),
  );
  const { running } = view;

  useEffect(() => {
    noteWork("uploads", running);
    if (!running) return;
    addEventListener("beforeunload", guardUnload);
    return () => {
      removeEventListener("beforeunload", guardUnload);
      noteWork("uploads", false);
    };
  }, [running]);

  useEffect(() => () => queue.clear(), [queue]);

  return {
    view,
    queue,
    /** Files in folders are sent without their folders. */
    add: async (picked: readonly Picked[]) => {
      const measured = await measureAll(picked.filter(({ file }) => file !== null));
      const files = measured.map((one) => ({ ...one, names: [sentName(one.names.at(-1) ?? "")] }));
      queue.add(planUpload(files, diskRoot, () => randomId(12)));
    },
  };
}
