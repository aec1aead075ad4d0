// Choosing several. Ant Design's own takes Tab in an open list as "choose the first", so that who only wants to go on
// by keyboard adds something unseen; here Tab just leaves the field.
import { Select, type SelectProps } from "antd";

type MultiSelectProps = Omit<SelectProps<number[], { value: number; label: string }>, "mode">;

export function MultiSelect(props: MultiSelectProps) {
  return (
    <div role="presentation" onKeyDownCapture={(event) => event.key === "Tab" && event.stopPropagation()}>
      <Select<number[], { value: number; label: string }> {...props} mode="multiple" />
    </div>
  );
}
