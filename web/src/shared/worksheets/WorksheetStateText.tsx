// The state of a work order, looking the same everywhere.
import { StateText } from "@/shared/ui/StateText";
import type { WorksheetState } from "./api";
import { worksheetStates } from "./words";

export function WorksheetStateText({ state }: { state: WorksheetState }) {
  const { icon, tone, label } = worksheetStates[state];
  return (
    <StateText icon={icon} tone={tone}>
      {label}
    </StateText>
  );
}
