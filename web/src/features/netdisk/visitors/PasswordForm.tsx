// Asks for a share's password. A wrong one is reported under the field and selected, so that typing replaces it.
import { Button, Form, Input, type InputRef } from "antd";
import { useEffect, useId, useRef, useState } from "react";
import type { ApiError } from "@/shared/api/problem";
import { Icon } from "@/shared/theme/Icon";
import { useUnlock } from "./api";
import styles from "./PasswordForm.module.css";
import { ShareCard } from "./ShareFrame";
import type { Spot } from "./spot";

function wordsOf({ status, retryAfter, message }: ApiError): string {
  if (status === 401) return "密码不正确";
  if (status === 404) return "分享不存在或已失效";
  if (status !== 429) return message;
  return retryAfter ? `密码试得太多，请 ${retryAfter} 秒后再试` : "密码试得太多，请稍后再试";
}

interface PasswordFormProps {
  spot: Spot;
  /** It was given before, and its token has expired. */
  again: boolean;
  onOpen: (pass: string | null) => void;
}

export function PasswordForm({ spot, again, onOpen }: PasswordFormProps) {
  const [password, setPassword] = useState("");
  const unlock = useUnlock(spot);
  const field = useRef<InputRef>(null);
  const id = useId();
  const fault = unlock.error && wordsOf(unlock.error);

  useEffect(() => field.current?.focus(), []);
  useEffect(() => {
    if (unlock.error) field.current?.focus({ cursor: "all" });
  }, [unlock.error]);

  function submit() {
    if (password !== "" && !unlock.isPending) unlock.mutate(password, { onSuccess: onOpen });
  }

  return (
    <ShareCard title="需要密码">
      <Form layout="vertical" size="large" className={styles.form ?? ""} onFinish={submit}>
        <Icon name="lock" size={28} className={styles.icon} />
        <p className={styles.note}>
          {again ? "密码的有效时间过了，请重新输入。" : "这个分享设了密码，请向分享的人索取。"}
        </p>
        <Form.Item
          label="密码"
          htmlFor={id}
          style={{ marginBottom: 20 }}
          {...(fault && { validateStatus: "error", help: fault })}
        >
          <Input.Password
            id={id}
            ref={field}
            autoComplete="off"
            aria-invalid={fault !== null}
            value={password}
            onChange={(event) => {
              setPassword(event.target.value);
              unlock.reset();
            }}
          />
        </Form.Item>
        <Button type="primary" htmlType="submit" block disabled={password === ""} loading={unlock.isPending}>
          打开
        </Button>
      </Form>
    </ShareCard>
  );
}
