// The fields of quotas, with their units inside. The form that holds them has the shape of `QuotaForm`.
import { Form, InputNumber } from "antd";
import styles from "./QuotaFields.module.css";

interface QuotaFieldsProps {
  /** Path of the quotas in the form where they are not at its root. */
  at?: readonly string[];
}

const required = [{ required: true, message: "请填写" }];

export function QuotaFields({ at = [] }: QuotaFieldsProps) {
  return (
    <>
      <Form.Item label="实例" required>
        <div className={styles.pair}>
          <Form.Item name={[...at, "instanceLimit"]} rules={required} noStyle>
            <InputNumber aria-label="实例" min={0} precision={0} suffix="个" />
          </Form.Item>
          <Form.Item name={[...at, "instanceLimitOffset"]} rules={required} noStyle>
            <InputNumber aria-label="临时增加的实例" min={0} precision={0} suffix="临时增加" />
          </Form.Item>
        </div>
      </Form.Item>
      <Form.Item name={[...at, "GPUNumlimit"]} label="GPU 卡" rules={required} extra="0 表示只能用 CPU">
        <InputNumber min={0} precision={0} suffix="张" className={styles.wide} />
      </Form.Item>
      <LimitFields at={at} />
    </>
  );
}

/** CPU, memory and disk: those where 0 means unlimited. */
export function LimitFields({ at = [] }: QuotaFieldsProps) {
  return (
    <>
      <Form.Item name={[...at, "cores"]} label="CPU" rules={required} extra="0 表示不限">
        <InputNumber min={0} precision={2} formatter={plain} suffix="核" className={styles.wide} />
      </Form.Item>
      <Form.Item name={[...at, "memoryGb"]} label="内存" rules={required} extra="0 表示不限">
        <InputNumber min={0} precision={2} formatter={plain} suffix="GB" className={styles.wide} />
      </Form.Item>
      <Form.Item name={[...at, "diskGb"]} label="网盘" rules={required} extra="0 表示不限">
        <InputNumber min={0} precision={2} formatter={plain} suffix="GB" className={styles.wide} />
      </Form.Item>
    </>
  );
}

/** 32, not 32.00: precision is for rounding what was typed. */
function plain(value: number | string | undefined, info: { userTyping: boolean; input: string }): string {
  if (info.userTyping) return info.input;
  return value === undefined || value === "" ? "" : String(Number(value));
}
