// Which columns a table shows.
import { Button, Checkbox, Flex, Popover } from "antd";
import { Icon } from "@/shared/theme/Icon";

interface ColumnMenuProps {
  columns: readonly { key: string; title: string }[];
  hidden: readonly string[];
  onChange: (hidden: string[]) => void;
}

export function ColumnMenu({ columns, hidden, onChange }: ColumnMenuProps) {
  const boxes = (
    <Flex vertical gap={6}>
      {columns.map(({ key, title }) => (
        <Checkbox
          key={key}
          checked={!hidden.includes(key)}
          onChange={(event) =>
            onChange(event.target.checked ? hidden.filter((other) => other !== key) : [...hidden, key])
          }
        >
          {title}
        </Checkbox>
      ))}
    </Flex>
  );
  return (
    <Popover trigger="click" placement="bottomRight" title="显示的列" content={boxes}>
      <Button
        type="text"
        aria-label="列设置"
        title="列设置"
        icon={<Icon name="gear" />}
        style={{ color: "var(--c-text2)" }}
      />
    </Popover>
  );
}
