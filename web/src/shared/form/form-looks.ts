// The look of forms: notes and faults below a field at 12 px, higher controls on a phone. A line for a fault is kept
// free below every field: if it appeared only with the fault, the button below would move away from under the mouse.
import type { ThemeConfig } from "antd";
import type { CSSProperties } from "react";
import { control } from "@/shared/theme/tokens";

const note: CSSProperties = { minHeight: 0, paddingTop: 2, fontSize: 12, lineHeight: "18px" };
const noteHeight = 20;

export const formNotes = { extra: note, helpItem: note };

const components = { Form: { itemMarginBottom: noteHeight, verticalLabelPadding: "0 0 4px" } };
const wide: ThemeConfig = { components };
// By the height and not by Ant Design's large size, which would stretch the labels and the text as well.
const narrow: ThemeConfig = { components, token: { controlHeight: control.main } };

export const formTheme = (phone: boolean): ThemeConfig => (phone ? narrow : wide);
