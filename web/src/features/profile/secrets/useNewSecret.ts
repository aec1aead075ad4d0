// From the form in the address to the secret that is shown once.
import { useState } from "react";
import { usePanel } from "@/shared/list/use-panel";
import type { NewSecret } from "./SecretShown";

/** `name` is the value in the URL while the form is open. */
export function useNewSecret(name: string) {
  const panel = usePanel([name]);
  const [made, setMade] = useState<NewSecret | null>(null);
  return {
    drawer: {
      open: panel.name === name,
      onClose: panel.close,
      onMade: (secret: NewSecret) => {
        panel.close();
        setMade(secret);
      },
    },
    onNew: () => panel.show(name),
    shown: { made, onClose: () => setMade(null) },
  };
}
