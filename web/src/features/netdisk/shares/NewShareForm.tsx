// Asks what a new link is for, for its duration and for an optional password. Enter creates it; without a number nothing
// is created, and the field says so.
import { Button, Form, type GetRef, type Input, type InputNumber, Segmented, Tooltip } from "antd";
import { useEffect, useRef, useState } from "react";
import type { NewShare } from "./api";
import { bytesOf, CollectFields, usualLimits } from "./CollectFields";
import { type Expiry, ExpiryField } from "./ExpiryField";
import { SharePasswordField } from "./SharePasswordField";
import styles from "./SharePrompt.module.css";
import { passwordFault } from "./share-password";

type Kind = "read" | "collect";

const kinds: { value: Kind; label: string }[] = [
  { value: "read", label: "查看和下载" },
  { value: "collect", label: "收集文件" },
];

interface NewShareFormProps {
  submitting: boolean;
  /** Why no permanent link can be made. */
  permanentReason: string | undefined;
  /** For a folder that visitors may send files to: why no permanent link of that kind can be made. */
  collecting?: { permanentReason: string | undefined };
  /** `done` is to be called once it is created; until then the fields keep their values. */
  onCreate: (share: Omit<NewShare, "path">, done: () => void) => void;
}

const noExpiry: Expiry = { number: null, unit: "hours" };

export function NewShareForm({ submitting, permanentReason, collecting, onCreate }: NewShareFormProps) {
  const [kind, setKind] = useState<Kind>("read");
  const [expiry, setExpiry] = useState(noExpiry);
  const [limits, setLimits] = useState(usualLimits);
  const [password, setPassword] = useState("");
  // Faults are only shown after the first try, not while typing.
  const [tried, setTried] = useState<"all" | "permanent" | null>(null);
  const fault = tried ? passwordFault(password) : undefined;
  const missing = tried === "all" && expiry.number === null ? "请填写有效期，或创建永久链接" : undefined;
  const field = useRef<GetRef<typeof InputNumber>>(null);
  const passwordField = useRef<GetRef<typeof Input.Password>>(null);
  const collects = kind === "collect";
  const reason = collects ? collecting?.permanentReason : permanentReason;

  // At once, not when the prompt has finished opening: keys typed meanwhile would be lost.
  useEffect(() => field.current?.focus({ preventScroll: true }), []);

  function create(lasting: NewShare["lasting"]) {
    if (submitting) return;
    setTried("permanent");
    if (passwordFault(password)) {
      passwordField.current?.focus();
      return;
    }
    const collect = collects && { collect: { maxBytes: bytesOf(limits), maxFiles: limits.files } };
    onCreate({ lasting, password, ...collect }, () => {
      setExpiry(({ unit }) => ({ number: null, unit }));
      setPassword("");
      setTried(null);
    });
  }

  function submit() {
    const { number, unit } = expiry;
    if (number !== null) create({ number, unit });
    else setTried("all");
  }

  return (
    <Form layout="vertical" onFinish={submit}>
      {collecting && (
        <Form.Item style={{ marginBottom: 12 }}>
          <Segmented<Kind> block aria-label="链接用途" value={kind} options={kinds} onChange={setKind} />
        </Form.Item>
      )}
      {collects && <CollectFields value={limits} onChange={setLimits} />}
      <ExpiryField field={field} value={expiry} fault={missing} onChange={setExpiry} />
      <SharePasswordField
        field={passwordField}
        value={password}
        fault={fault}
        placeholder={collects ? "不填则拿到链接就能上传" : "不填则拿到链接就能打开"}
        onChange={setPassword}
      />
      <div className={styles.make}>
        <Tooltip title={reason}>
          <Button
            disabled={submitting || reason !== undefined}
            aria-description={reason}
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
