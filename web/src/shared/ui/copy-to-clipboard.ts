// Labs often open the portal over plain http on a local address, where browsers hide the clipboard API;
// the old way through a selected text field works there.

/** Copies a text and returns whether that worked. */
export async function copyToClipboard(text: string): Promise<boolean> {
  if (window.isSecureContext && navigator.clipboard) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      // Permission refused: the old way may still be allowed.
    }
  }
  const field = document.createElement("textarea");
  field.value = text;
  field.style.cssText = "position:fixed;opacity:0";
  // Inside a dialog's focus trap a field outside it could not be selected.
  const host = document.activeElement?.closest("[role=dialog]") ?? document.body;
  const focused = document.activeElement;
  host.append(field);
  field.select();
  const copied = document.execCommand("copy");
  field.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return copied;
}
