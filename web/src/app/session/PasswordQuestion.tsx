// Asks for the login password again, for any page whose call needs it.
import { Alert, Form, Input, type InputRef, Modal } from "antd";
import { useEffect, useId, useRef, useState } from "react";
import { portal, unwrap } from "@/shared/api/client";
import { providePasswordQuestion } from "@/shared/api/confirm-password";
import { asApiError } from "@/shared/api/problem";
import { useSession } from "@/shared/stores/session";
import { Icon } from "@/shared/theme/Icon";

interface PasswordForm {
  password: string;
}

export function PasswordQuestion() {
  const formId = useId();
  const username = useSession((session) => session.username);
  const [form] = Form.useForm<PasswordForm>();
  const [open, setOpen] = useState(false);
  const [checking, setChecking] = useState(false);
  const [fault, setFault] = useState<string | null>(null);
  const field = useRef<InputRef>(null);
  const answer = useRef<(confirmed: boolean) => void>(() => {});

  useEffect(
    () =>
      providePasswordQuestion(() => {
        setFault(null);
        setOpen(true);
        return new Promise((resolve) => {
          answer.current = resolve;
        });
      }),
    [],
  );

  function finish(confirmed: boolean) {
    setOpen(false);
    answer.current(confirmed);
  }

  async function check({ password }: PasswordForm) {
    setChecking(true);
    try {
      await unwrap(portal.POST("/api/auth/confirm", { body: { password } }));
      finish(true);
    } catch (cause) {
      const error = asApiError(cause);
      // The session has ended, and the page is about to leave.
      if (error.status === 401 || error.status === 403) return finish(false);
      setFault(error.fields.find(({ name }) => name === "password")?.message ?? error.message);
      field.current?.select();
    } finally {
      setChecking(false);
    }
  }

  return (
    <Modal
      open={open}
      title="请再输入一次登录密码"
      width={400}
      // Above the drawer of the waiting form.
      zIndex={1100}
      closeIcon={<Icon name="close" />}
      okText="确认"
      cancelText="取消"
      okButtonProps={{ loading: checking, htmlType: "submit", form: formId }}
      cancelButtonProps={{ disabled: checking }}
      mask={{ closable: false }}
      keyboard={!checking}
      destroyOnHidden
      // Only now: the drawer below holds the keyboard until then.
      afterOpenChange={(shown) => shown && field.current?.focus()}
      onCancel={() => !checking && finish(false)}
    >
      <Form<PasswordForm>
        id={formId}
        form={form}
        layout="vertical"
        name="password-again"
        preserve={false}
        requiredMark={false}
        onFinish={(values) => void check(values)}
      >
        <p style={{ marginBottom: 16 }}>这一步会影响账号安全，需要确认是您本人。之后 5 分钟内不再询问。</p>
        {fault && <Alert type="error" showIcon title={fault} style={{ marginBottom: 16 }} />}
        {/* For password managers: whose password it is. */}
        <input type="text" name="username" autoComplete="username" value={username} readOnly hidden />
        <Form.Item name="password" label="登录密码" rules={[{ required: true, message: "请输入登录密码" }]}>
          <Input.Password ref={field} autoComplete="current-password" maxLength={1024} />
        </Form.Item>
      </Form>
    </Modal>
  );
}
