// Notes and faults below a field: 12 px, close to it, and with room before the next field.
import type { CSSProperties } from "react";

const note: CSSProperties = { minHeight: 0, paddingTop: 2, fontSize: 12, lineHeight: "18px" };

export const formNotes = { extra: note, helpItem: { ...note, paddingBottom: 8 } };
