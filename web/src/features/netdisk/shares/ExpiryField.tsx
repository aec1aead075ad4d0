// How long a new link holds: a number and a unit, or one of the usual spans.
import { Button, Form, type GetRef, InputNumber, Select, Space } from "antd";
import { type RefObject, useId } from "react";
import type { ShareUnit } from "./api";
import styles from "./SharePrompt.module.css";

const units: { value: ShareUnit; label: string }[] = [
  { value: "seconds", label: "秒" },
  { value: "minutes", label: "分钟" },
  { value: "hours", label: "小时" },
  { value: "days", label: "天" },
];

const usualDays = [1, 7, 30];

const longest = 2_147_483_647;

export interface Expiry {
  /** `null` until it is filled in. */
  number: number | null;
  unit: ShareUnit;
}

interface ExpiryFieldProps {
  field: RefObject<GetRef<typeof InputNumber> | null>;
  value: Expiry;
  fault: string | undefined;
  onChange: (value: Expiry) => void;
}

export function ExpiryField({ field, value, fault, onChange }: ExpiryFieldProps) {
  const id = useId();
  const faultId = useId();
  return (
    <Form.Item
      label="有效期"
      htmlFor={id}
      style={{ marginBottom: 12 }}
      validateStatus={fault ? "error" : ""}
      help={fault && <span id={faultId}>{fault}</span>}
    >
      <Space.Compact block>
        <InputNumber<number>
          id={id}
          ref={field}
          aria-invalid={fault !== undefined}
          aria-describedby={fault && faultId}
          // Its steppers have English names.
          controls={false}
          min={0}
          max={longest}
          precision={0}
          style={{ width: "100%" }}
          placeholder="数字，如 24"
          value={value.number}
          onChange={(number) => onChange({ ...value, number })}
        />
        <Select
          aria-label="有效期的单位"
          style={{ width: 96 }}
          value={value.unit}
          options={units}
          onChange={(unit) => onChange({ ...value, unit })}
        />
      </Space.Compact>
      <fieldset className={styles.usual} aria-label="常用有效期">
        {usualDays.map((days) => (
          <Button
            key={days}
            size="small"
            aria-pressed={value.unit === "days" && value.number === days}
            onClick={() => onChange({ number: days, unit: "days" })}
          >
            {days} 天
          </Button>
        ))}
      </fieldset>
    </Form.Item>
  );
}
