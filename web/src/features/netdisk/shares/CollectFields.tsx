// How much visitors may send by a link that takes files.
import { Form, InputNumber, Select, Space } from "antd";
import { useId } from "react";
import styles from "./SharePrompt.module.css";

const sizes = [
  { value: 1024 ** 2, label: "MB" },
  { value: 1024 ** 3, label: "GB" },
  { value: 1024 ** 4, label: "TB" },
];

const mostFiles = 10_000;
const mostBytes = 16 * 1024 ** 4;

export interface CollectLimits {
  files: number;
  /** In units of `unit`. */
  size: number;
  /** Bytes. */
  unit: number;
}

export const usualLimits: CollectLimits = { files: 100, size: 10, unit: 1024 ** 3 };

export const bytesOf = ({ size, unit }: CollectLimits) => Math.max(1, Math.floor(size * unit));

interface CollectFieldsProps {
  value: CollectLimits;
  onChange: (value: CollectLimits) => void;
}

export function CollectFields({ value, onChange }: CollectFieldsProps) {
  const filesId = useId();
  const sizeId = useId();
  return (
    <>
      <p className={styles.note}>
        拿到链接的人不用登录就能上传，但看不到文件夹里的内容，也不会覆盖已有的文件。收到的文件计入这里的配额。
      </p>
      <div className={styles.limits}>
        <Form.Item label="最多收多少个文件" htmlFor={filesId} style={{ marginBottom: 12 }}>
          <InputNumber<number>
            id={filesId}
            controls={false}
            min={1}
            max={mostFiles}
            precision={0}
            style={{ width: "100%" }}
            suffix="个"
            value={value.files}
            onChange={(files) => onChange({ ...value, files: files ?? usualLimits.files })}
          />
        </Form.Item>
        <Form.Item label="总大小" htmlFor={sizeId} style={{ marginBottom: 12 }}>
          <Space.Compact block>
            <InputNumber<number>
              id={sizeId}
              controls={false}
              min={1}
              max={Math.floor(mostBytes / value.unit)}
              precision={0}
              style={{ width: "100%" }}
              value={value.size}
              onChange={(size) => onChange({ ...value, size: size ?? usualLimits.size })}
            />
            <Select
              aria-label="总大小的单位"
              style={{ width: 80 }}
              value={value.unit}
              options={sizes}
              onChange={(unit) =>
                onChange({ ...value, unit, size: Math.min(value.size, Math.floor(mostBytes / unit)) })
              }
            />
          </Space.Compact>
        </Form.Item>
      </div>
    </>
  );
}
