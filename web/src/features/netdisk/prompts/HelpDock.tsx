// F1 anywhere on the disk: in a listing, a file, the editor, the recycle bin, a field; but not over a prompt.
import { useEffect } from "react";
import { closeOverlay, openOverlay, overlayShown, useOverlay } from "../overlay";
import { useUploads } from "../uploads/upload-store";
import { HelpPrompt } from "./HelpPrompt";

const isInPrompt = (target: EventTarget | null) =>
  target instanceof Element && target.closest('[role="dialog"]') !== null;

export function HelpDock() {
  const { overlay } = useOverlay();
  const conflicts = useUploads((uploads) => uploads.conflicts.length);
  const shown = overlayShown(overlay, conflicts);
  const enabled = shown === "none";
  useEffect(() => {
    if (!enabled) return;
    const listen = (event: KeyboardEvent) => {
      const { key, ctrlKey, metaKey, altKey, shiftKey } = event;
      if (key !== "F1" || ctrlKey || metaKey || altKey || shiftKey || isInPrompt(event.target)) return;
      event.preventDefault();
      openOverlay({ name: "help" });
    };
    document.addEventListener("keydown", listen);
    return () => document.removeEventListener("keydown", listen);
  }, [enabled]);
  return shown === "help" && <HelpPrompt onClose={closeOverlay} />;
}
