// One select of a filter bar: its placeholder is its name, clearing it removes the filter.
import { Select } from "antd";
import { usePhone } from "@/shared/ui/usePhone";

interface FilterSelectProps {
  label: string;
  value: string | undefined;
  options: readonly { value: string; label: string }[];
  onChange: (value: string | undefined) => void;
  width?: number;
  loading?: boolean;
}

export function FilterSelect({ label, value, options, onChange, width = 112, loading }: FilterSelectProps) {
  const phone = usePhone();
  return (
    <Select
      aria-label={label}
      placeholder={label}
      value={value ?? null}
      options={[...options]}
      allowClear
      loading={loading}
      // Some options are longer than the filter is wide.
      popupMatchSelectWidth={false}
      showSearch={options.length > 8 ? { optionFilterProp: "label" } : false}
      style={{ width: phone ? "100%" : width }}
      onChange={(next: string | null | undefined) => onChange(next ?? undefined)}
    />
  );
}
