// Listens for the keys of the search over everything, and shows its dialogs. They are loaded when they are first wanted.
import { Suspense, useEffect, useState } from "react";
import { latePart } from "@/shared/parts/late-part";
import { findKeyOf, focusPageField } from "./find-keys";
import { closeFind, openKeys, openPalette, useFind } from "./find-store";
import { expectPalette, loadPalette } from "./load-palette";

const Palette = latePart(loadPalette, "aside");
const KeysPrompt = latePart(async () => (await import("./KeysPrompt")).KeysPrompt, "aside");

function listen(event: KeyboardEvent) {
  // The first half of Ctrl+K.
  if (event.key === "Control" || event.key === "Meta") expectPalette();
  const key = findKeyOf(event);
  if (!key) return;
  event.preventDefault();
  if (key === "keys") openKeys();
  else if (key === "palette" || !focusPageField()) openPalette();
}

export function FindDock() {
  const shown = useFind((find) => find.shown);
  // They stay once opened, so that they can fade out.
  const [opened, setOpened] = useState({ palette: false, keys: false });
  if (shown && !opened[shown]) setOpened({ ...opened, [shown]: true });

  useEffect(() => {
    document.addEventListener("keydown", listen);
    return () => {
      document.removeEventListener("keydown", listen);
      closeFind();
    };
  }, []);

  return (
    <Suspense>
      {opened.palette && <Palette open={shown === "palette"} onClose={closeFind} />}
      {opened.keys && <KeysPrompt open={shown === "keys"} onClose={closeFind} />}
    </Suspense>
  );
}
