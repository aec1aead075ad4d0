// Names of files for display, which any user may have chosen.

/** Characters that reverse the direction of the following text: `a\u202etxt.exe` would look like `aexe.txt`. */
const turn = /[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/g;

/** The picture of a control character: ␊ for a line break. */
function picture(control: string): string {
  const code = control.charCodeAt(0);
  return code < 0x20 ? String.fromCharCode(0x2400 + code) : "\u2421";
}

/**
 * A name for display: control characters are replaced by pictures, so that a row stays one line and the extension stays
 * last.
 */
export const shownName = (name: string) => name.replace(/\p{Cc}/gu, picture).replace(turn, "\ufffd");
