// What happens to one thing, or to all of a kind, and who receives it.
import { Select } from "antd";
import { PersonSelect } from "@/shared/list/PersonSelect";
import type { Action } from "./api";
import type { Choice } from "./draft";
import { actionsOf, needsReceiver, type PlannedKind } from "./words";

interface ChoiceFieldsProps {
  kind: PlannedKind;
  /** The accessible name: 数据集, or the thing's own. */
  name: string;
  /** `null`: as the others of its kind, or not decided. */
  value: Choice | null;
  /** Offers to deal with it as with the others. */
  likeOthers?: boolean;
  /** Offers to leave it undecided, with this label. */
  undecided?: string;
  /** The default receiver. */
  receiver: number | undefined;
  onChange: (choice: Choice | null) => void;
}

const AS_OTHERS = "as_others";

export function ChoiceFields({
  kind,
  name,
  value,
  likeOthers = false,
  undecided,
  receiver,
  onChange,
}: ChoiceFieldsProps) {
  const none = likeOthers ? "与同类一样" : undecided;
  const options = [
    ...(none ? [{ value: AS_OTHERS as Action | typeof AS_OTHERS, label: none }] : []),
    ...actionsOf[kind],
  ];
  return (
    <>
      <Select<Action | typeof AS_OTHERS>
        aria-label={`${name}的处理方式`}
        value={value?.action ?? AS_OTHERS}
        options={options}
        onChange={(action) => onChange(action === AS_OTHERS ? null : { ...value, action })}
      />
      {value && needsReceiver(value.action) ? (
        <PersonSelect
          label={`${name}的接手人`}
          value={value.receiver ?? receiver}
          onChange={(chosen) => onChange({ ...value, receiver: chosen })}
        />
      ) : (
        <span />
      )}
    </>
  );
}
