// A limit: a number, or the meaning of 0 in the API as text. 0 has two meanings there (for a person's cards it allows
// nothing; otherwise it is unlimited), so no form shows a bare 0.
import { Checkbox } from "antd";
import { useState } from "react";
import styles from "./LimitInput.module.css";
import { UnitInput } from "./UnitInput";

/** The meaning of 0: there is no limit, or nothing is allowed. */
export type Zero = "unlimited" | "none";

const words: Readonly<Record<Zero, string>> = { unlimited: "不限", none: "不允许" };

interface LimitInputProps {
  /** Given by the form's item, as `value` and `onChange` are. */
  id?: string;
  value?: number | null;
  onChange?: (value: number | null) => void;
  zero: Zero;
  unit: string;
  precision: number;
  max?: number;
  /** Shown while nothing is filled in, where that means no change. */
  placeholder?: string;
  disabled?: boolean;
  "aria-label"?: string;
}

export function LimitInput({ value = null, onChange, zero, placeholder, ...field }: LimitInputProps) {
  // A number that begins with 0 is being typed: 0.5.
  const [typing, setTyping] = useState(false);
  const none = value === 0;
  const change = (next: number | null) => {
    setTyping(next === 0);
    onChange?.(next);
  };
  return (
    <div className={styles.limit}>
      <UnitInput
        {...field}
        min={0}
        value={none && !typing ? null : value}
        placeholder={none ? words[zero] : placeholder}
        onChange={change}
        onBlur={() => setTyping(false)}
      />
      <Checkbox
        checked={none && !typing}
        disabled={field.disabled ?? false}
        onChange={({ target }) => {
          setTyping(false);
          onChange?.(target.checked ? 0 : null);
        }}
      >
        {words[zero]}
      </Checkbox>
    </div>
  );
}
