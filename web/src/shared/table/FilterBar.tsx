// The first row of a table's card: search, the states with their counts, selects, and the table's tools at the right.
// On a phone only search and 筛选 remain; the rest opens from below.
import { Badge, Button, Drawer, Flex, Segmented } from "antd";
import { type ReactNode, useState } from "react";
import { drawerClose } from "@/shared/form/drawer-close";
import { Icon } from "@/shared/theme/Icon";
import { usePhone } from "@/shared/ui/usePhone";
import styles from "./FilterBar.module.css";
import { SearchInput } from "./SearchInput";

export interface StateFilter {
  label: string;
  value: string;
  options: readonly { value: string; label: string; count?: number }[];
  onChange: (value: string) => void;
}

export interface FilterBarProps {
  search?: { placeholder: string; value: string; onSearch: (value: string) => void };
  states?: StateFilter;
  /** Selects, switches, dates. */
  children?: ReactNode;
  /** How many filters are set, the search apart. */
  active: number;
  onReset: () => void;
}

interface Extras {
  /** Columns, refresh, export: at the right. */
  tools?: ReactNode;
  /** Only in the phone's sheet, e.g. the order that column heads give elsewhere. */
  sheetExtra?: ReactNode;
}

export function FilterBar({
  search,
  states,
  children,
  active,
  onReset,
  tools,
  sheetExtra,
}: FilterBarProps & Extras) {
  const phone = usePhone();
  if (phone) {
    if (!search && !states && !children && !sheetExtra && !tools) return null;
    return (
      <div className={styles.bar}>
        {search && <SearchInput {...search} width="100%" />}
        {(states || children || sheetExtra) && (
          <FilterSheet active={active} onReset={onReset}>
            {states && <StateSegments {...states} />}
            {children}
            {sheetExtra}
          </FilterSheet>
        )}
        {tools}
      </div>
    );
  }
  return (
    <div className={styles.bar}>
      <div className={styles.filters}>
        {search && <SearchInput {...search} />}
        {states && <StateSegments {...states} />}
        {children}
      </div>
      <Flex gap={2} align="center" className={styles.tools}>
        {active > 0 && (
          <Button type="text" onClick={onReset}>
            清除筛选
          </Button>
        )}
        {tools}
      </Flex>
    </div>
  );
}

function StateSegments({ label, value, options, onChange }: StateFilter) {
  return (
    <Segmented
      aria-label={label}
      value={value}
      options={options.map((option) => ({
        value: option.value,
        label: option.count === undefined ? option.label : `${option.label} ${option.count}`,
      }))}
      onChange={onChange}
    />
  );
}

function FilterSheet({
  active,
  onReset,
  children,
}: {
  active: number;
  onReset: () => void;
  children: ReactNode;
}) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Badge count={active} size="small">
        <Button size="large" icon={<Icon name="filter" size={14} />} onClick={() => setOpen(true)}>
          筛选
        </Button>
      </Badge>
      <Drawer
        title="筛选"
        placement="bottom"
        closable={drawerClose}
        size="auto"
        open={open}
        onClose={() => setOpen(false)}
        footer={
          <Flex gap={8} className={styles.sheetFoot}>
            <Button size="large" disabled={active === 0} onClick={onReset}>
              清除筛选
            </Button>
            <Button size="large" type="primary" onClick={() => setOpen(false)}>
              完成
            </Button>
          </Flex>
        }
      >
        <Flex vertical gap={12} align="stretch">
          {children}
        </Flex>
      </Drawer>
    </>
  );
}
