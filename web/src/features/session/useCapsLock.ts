import { type KeyboardEvent, useState } from "react";

/** Whether the last key in the field was pressed with caps lock on. */
export function useCapsLock() {
  const [on, setOn] = useState(false);
  const onKey = (event: KeyboardEvent) => setOn(event.getModifierState("CapsLock"));
  return { on, onKey };
}
