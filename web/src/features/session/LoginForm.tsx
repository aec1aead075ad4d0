// Name and password. The server's refusal is above the fields; faults of the input are below them.
import { Alert, Button, ConfigProvider, Form, Input, type InputRef } from "antd";
import { useEffect, useRef } from "react";
import type { ApiError } from "@/shared/api/problem";
import { Icon } from "@/shared/theme/Icon";
import type { Credentials } from "./api";
import styles from "./LoginForm.module.css";
import { useCapsLock } from "./useCapsLock";
import { useWait } from "./useWait";

interface LoginFormProps {
  /** The account that signed in here last. */
  initialName: string;
  submitting: boolean;
  error: ApiError | null;
  onSubmit: (credentials: Credentials) => void;
}

/** Labels are above the fields here, so they need not be as high as a field. */
const labels = { components: { Form: { labelHeight: 20 } } };

/** The server's message has the original wait; this one counts down. */
const tooMany = (wait: number) =>
  wait > 0 ? `操作过于频繁，${wait} 秒后可以重试` : "操作过于频繁，现在可以重试";

export function LoginForm({ initialName, submitting, error, onSubmit }: LoginFormProps) {
  const [form] = Form.useForm<Credentials>();
  const password = useRef<InputRef>(null);
  const caps = useCapsLock();
  const wait = useWait(error);

  useEffect(() => {
    // A refused password is selected, so that typing replaces it.
    if (error) password.current?.focus({ cursor: "all" });
  }, [error]);

  return (
    <ConfigProvider theme={labels}>
      <Form<Credentials>
        form={form}
        name="login"
        size="middle"
        layout="vertical"
        requiredMark={false}
        className={styles.form}
        initialValues={{ username: initialName, password: "" }}
        scrollToFirstError={{ focus: true }}
        onFinish={onSubmit}
      >
        <h1 className={styles.title}>登录</h1>
        <p className={styles.note}>使用实验室账号</p>
        {error && (
          <Alert
            type="error"
            showIcon
            icon={<Icon name="alert" />}
            className={styles.alert}
            title={error.status === 429 ? tooMany(wait) : error.message}
          />
        )}
        <Form.Item
          name="username"
          label="用户名"
          rules={[{ required: true, whitespace: true, message: "请输入用户名" }]}
        >
          <Input
            size="large"
            prefix={<Icon name="user" className={styles.prefix} />}
            autoComplete="username"
            autoCapitalize="off"
            spellCheck={false}
            autoFocus={!initialName}
            maxLength={254}
          />
        </Form.Item>
        <Form.Item
          name="password"
          label="密码"
          rules={[{ required: true, message: "请输入密码" }]}
          extra={caps.on && <span className={styles.caps}>大写锁定已打开</span>}
          validateStatus={error?.code === "wrong_credentials" ? "error" : undefined}
        >
          <Input.Password
            size="large"
            ref={password}
            prefix={<Icon name="lock" className={styles.prefix} />}
            autoComplete="current-password"
            autoFocus={Boolean(initialName)}
            maxLength={1024}
            onKeyDown={caps.onKey}
            onKeyUp={caps.onKey}
          />
        </Form.Item>
        <Button
          size="large"
          type="primary"
          htmlType="submit"
          block
          className={styles.submit}
          loading={submitting}
          disabled={wait > 0}
        >
          登录
        </Button>
        <p className={styles.help}>账号由管理员建立，不开放注册。忘记密码请联系管理员重置。</p>
      </Form>
    </ConfigProvider>
  );
}
