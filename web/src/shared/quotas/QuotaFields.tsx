// The fields of quotas, with their units inside. The form that holds them has the shape of `QuotaForm`.
import { Form } from "antd";
import { LimitInput } from "@/shared/form/LimitInput";
import { UnitInput } from "@/shared/form/UnitInput";
import styles from "./QuotaFields.module.css";

interface QuotaFieldsProps {
  /** Path of the quotas in the form where they are not at its root. */
  at?: readonly string[];
}

const filled = [{ required: true, message: "请填写" }];

export function QuotaFields({ at = [] }: QuotaFieldsProps) {
  return (
    <>
      <Form.Item label="实例">
        <div className={styles.pair}>
          <Form.Item name={[...at, "instanceLimit"]} rules={filled} noStyle>
            <UnitInput aria-label="实例" min={0} precision={0} unit="个" />
          </Form.Item>
          <Form.Item name={[...at, "instanceLimitOffset"]} rules={filled} noStyle>
            <UnitInput aria-label="临时增加的实例" min={0} precision={0} unit="临时增加" />
          </Form.Item>
        </div>
      </Form.Item>
      <Form.Item
        name={[...at, "GPUNumlimit"]}
        label="显卡"
        required={false}
        rules={filled}
        extra="不允许用卡的人仍可以创建只用 CPU 的实例"
      >
        <LimitInput zero="none" precision={0} unit="张" />
      </Form.Item>
      <LimitFields at={at} />
    </>
  );
}

const limits = [
  { name: "cores", label: "CPU", unit: "核" },
  { name: "memoryGb", label: "内存", unit: "GB" },
  { name: "diskGb", label: "网盘", unit: "GB" },
] as const;

/** CPU, memory and disk, which may be unlimited. */
export function LimitFields({ at = [] }: QuotaFieldsProps) {
  return limits.map(({ name, label, unit }) => (
    <Form.Item key={name} name={[...at, name]} label={label} required={false} rules={filled}>
      <LimitInput zero="unlimited" precision={2} unit={unit} />
    </Form.Item>
  ));
}
