// Asks for the duration of a new link and for an optional password. Enter creates it; without a number nothing happens.
import { Button, Form, type GetRef, Input, InputNumber, Select, Space, Tooltip } from "antd";
import { useEffect, useId, useRef, useState } from "react";
import type { NewShare, ShareUnit } from "./api";
import styles from "./SharePrompt.module.css";
import { passwordFault } from "./share-password";

const units: { value: ShareUnit; label: string }[] = [
  { value: "seconds", label: "秒" },
  { value: "minutes", label: "分钟" },
  { value: "hours", label: "小时" },
  { value: "days", label: "天" },
];

const longest = 2_147_483_647;

interface NewShareFormProps {
  submitting: boolean;
  /** Why no permanent link can be made. */
  permanentReason: string | undefined;
  /** `done` is to be called once it is created; until then the fields keep their values. */
  onCreate: (share: Omit<NewShare, "path">, done: () => void) => void;
}

export function NewShareForm({ submitting, permanentReason, onCreate }: NewShareFormProps) {
  const [number, setNumber] = useState<number | null>(null);
  const [unit, setUnit] = useState<ShareUnit>("hours");
  const [password, setPassword] = useState("");
  // Faults are only shown after the first try, not while typing.
  const [tried, setTried] = useState(false);
  const fault = tried ? passwordFault(password) : undefined;
  const field = useRef<GetRef<typeof InputNumber>>(null);
  const passwordField = useRef<GetRef<typeof Input.Password>>(null);
  const numberId = useId();
  const passwordId = useId();
  const faultId = useId();

  // At once, not when the prompt has finished opening: keys typed meanwhile would be lost.
  useEffect(() => field.current?.focus({ preventScroll: true }), []);

  function create(lasting: NewShare["lasting"]) {
    if (submitting) return;
    setTried(true);
    if (passwordFault(password)) {
      passwordField.current?.focus();
      return;
    }
    onCreate({ lasting, password }, () => {
      setNumber(null);
      setPassword("");
      setTried(false);
    });
  }

  return (
    <Form layout="vertical" onFinish={() => number !== null && create({ number, unit })}>
      <Form.Item label="有效期" htmlFor={numberId} style={{ marginBottom: 12 }}>
        <Space.Compact block>
          <InputNumber<number>
            id={numberId}
            ref={field}
            // Its steppers have English names.
            controls={false}
            min={0}
            max={longest}
            precision={0}
            style={{ width: "100%" }}
            placeholder="数字，如 24"
            value={number}
            onChange={setNumber}
          />
          <Select
            aria-label="有效期的单位"
            style={{ width: 96 }}
            value={unit}
            options={units}
            onChange={setUnit}
          />
        </Space.Compact>
      </Form.Item>
      <Form.Item
        label="密码（可选）"
        htmlFor={passwordId}
        style={{ marginBottom: 16 }}
        validateStatus={fault ? "error" : ""}
        help={fault && <span id={faultId}>{fault}</span>}
      >
        <Input.Password
          id={passwordId}
          ref={passwordField}
          aria-invalid={fault !== undefined}
          aria-describedby={fault && faultId}
          autoComplete="new-password"
          placeholder="不填则拿到链接就能打开"
          value={password}
          onChange={(event) => setPassword(event.target.value)}
        />
      </Form.Item>
      <div className={styles.make}>
        <Tooltip title={permanentReason}>
          <Button
            disabled={submitting || permanentReason !== undefined}
            aria-description={permanentReason}
            onClick={() => create(null)}
          >
            创建永久链接
          </Button>
        </Tooltip>
        <Button type="primary" htmlType="submit" loading={submitting}>
          创建链接
        </Button>
      </div>
    </Form>
  );
}
