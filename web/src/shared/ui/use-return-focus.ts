// A menu that closes without a choice gives the keyboard back to the button that opened it; antd leaves it nowhere.
import { type RefObject, useRef } from "react";

interface ReturnFocus {
  /** For the button. */
  trigger: RefObject<HTMLButtonElement | null>;
  /** For the `DropMenu`. */
  onOpenChange: (open: boolean, info: { source: "trigger" | "menu" }) => void;
}

export function useReturnFocus(): ReturnFocus {
  const trigger = useRef<HTMLButtonElement>(null);
  return {
    trigger,
    onOpenChange: (open, { source }) => {
      if (!open && source === "trigger") {
        trigger.current?.focus();
      }
    },
  };
}
