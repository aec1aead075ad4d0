// A select for several values. In an open list antd's own takes Tab as "choose the first", so that a keyboard user who
// only moves on adds a value unseen; here Tab just leaves the field.
import { Select, type SelectProps } from "antd";

type Key = number | string;
type MultiSelectProps<Value extends Key> = Omit<
  SelectProps<Value[], { value: Value; label: string }>,
  "mode"
>;

export function MultiSelect<Value extends Key>(props: MultiSelectProps<Value>) {
  return (
    <div role="presentation" onKeyDownCapture={(event) => event.key === "Tab" && event.stopPropagation()}>
      <Select<Value[], { value: Value; label: string }> {...props} mode="multiple" />
    </div>
  );
}
