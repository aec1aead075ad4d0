// The SSH login: a name with a password, or with a key from a file. Sent to the server once and not stored.
import { Button, ConfigProvider, Form, Input, Segmented } from "antd";
import { useEffect, useRef, useState } from "react";
import { FileInput } from "@/shared/form/FileInput";
import { FormAlert } from "@/shared/form/FormAlert";
import { formTheme } from "@/shared/form/form-looks";
import { Icon } from "@/shared/theme/Icon";
import { usePhone } from "@/shared/ui/usePhone";
import type { Host } from "./api";
import styles from "./SshCover.module.css";
import { logIn } from "./sessions";

interface SshLoginProps {
  id: number;
  host: Host;
  connecting: boolean;
  fault: string | null;
}

interface LoginForm {
  username: string;
  password?: string;
  passphrase?: string;
}

type Way = "password" | "key";

const ways = [
  { value: "password", label: "密码" },
  { value: "key", label: "密钥" },
] satisfies { value: Way; label: string }[];

/** Larger than any key. */
const largestKey = 64 * 1024;

export function SshLogin({ id, host, connecting, fault }: SshLoginProps) {
  const phone = usePhone();
  const [form] = Form.useForm<LoginForm>();
  const [way, setWay] = useState<Way>("password");
  const [key, setKey] = useState<File | null>(null);
  const [missing, setMissing] = useState<string | null>(null);
  const name = `ssh-${id}`;

  useEffect(() => {
    if (fault === null) return;
    form.resetFields(["password", "passphrase"]);
    form.focusField("password");
  }, [fault, form]);

  async function submit({ username, password = "", passphrase }: LoginForm) {
    setMissing(null);
    if (way === "password") logIn(id, { username: username.trim(), password });
    else if (!key || key.size > largestKey) setMissing("请选择私钥文件");
    else
      logIn(id, {
        username: username.trim(),
        privateKey: await key.text(),
        ...(passphrase && { passphrase }),
      });
  }

  const wrong = missing ?? fault;
  return (
    <ConfigProvider componentSize="medium" theme={formTheme(phone)}>
      <Form<LoginForm>
        name={name}
        form={form}
        layout="vertical"
        requiredMark={false}
        className={styles.card}
        disabled={connecting}
        onFinish={submit}
      >
        <h2>
          登录 {host.ip}:{host.port}
        </h2>
        <p className={styles.note}>账号是这台主机上的，只用于这次连接，不会保存。</p>
        <FormAlert messages={wrong ? [wrong] : []} />
        <Form.Item name="username" label="用户名" rules={[{ required: true, message: "请填写用户名" }]}>
          <Input autoComplete="off" autoCapitalize="off" spellCheck={false} autoFocus maxLength={64} />
        </Form.Item>
        <Form.Item label="登录方式">
          <Segmented<Way> options={ways} value={way} onChange={setWay} aria-label="登录方式" />
        </Form.Item>
        {way === "password" ? (
          <Form.Item name="password" label="密码" rules={[{ required: true, message: "请填写密码" }]}>
            <Input.Password autoComplete="off" />
          </Form.Item>
        ) : (
          <>
            <Form.Item label="私钥文件" extra="OpenSSH 或 PEM 格式，例如 id_ed25519">
              <KeyFile file={key} onPick={setKey} disabled={connecting} />
            </Form.Item>
            <Form.Item name="passphrase" label="私钥口令" extra="没有口令则留空">
              <Input.Password autoComplete="off" />
            </Form.Item>
          </>
        )}
        <Button type="primary" htmlType="submit" block loading={connecting}>
          {connecting ? "正在连接" : "连接"}
        </Button>
      </Form>
    </ConfigProvider>
  );
}

function KeyFile({
  file,
  onPick,
  disabled,
}: {
  file: File | null;
  onPick: (file: File) => void;
  disabled: boolean;
}) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <div className={styles.keyFile}>
      <Button icon={<Icon name="key" size={14} />} disabled={disabled} onClick={() => input.current?.click()}>
        选择文件
      </Button>
      <span>{file?.name ?? "未选择"}</span>
      <FileInput ref={input} label="私钥文件" onPick={([picked]) => picked && onPick(picked)} />
    </div>
  );
}
