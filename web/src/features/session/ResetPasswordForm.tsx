// Replaces a password that an administrator set, before the sign-in continues.
import { Alert, Button, ConfigProvider, Form } from "antd";
import { useEffect, useRef } from "react";
import type { ApiError } from "@/shared/api/problem";
import { FormAlert } from "@/shared/form/FormAlert";
import { useServerFaults } from "@/shared/form/form-faults";
import { NewPasswordFields } from "@/shared/form/NewPasswordFields";
import { Icon } from "@/shared/theme/Icon";
import styles from "./LoginForm.module.css";

interface ChosenPassword {
  newPassword: string;
  repeat: string;
}

interface ResetPasswordFormProps {
  username: string;
  submitting: boolean;
  /** Of the try with a new password; none before it. */
  error: ApiError | null;
  onSubmit: (newPassword: string) => void;
  onBack: () => void;
}

/** Labels are above the fields here, so they need not be as high as a field. */
const labels = { components: { Form: { labelHeight: 20 } } };

const uncounted = () => {};

export function ResetPasswordForm({ username, submitting, error, onSubmit, onBack }: ResetPasswordFormProps) {
  const [form] = Form.useForm<ChosenPassword>();
  const title = useRef<HTMLHeadingElement>(null);
  const elsewhere = useServerFaults(form, error, uncounted);

  // The previous content is gone: a screen reader continues with the new one.
  useEffect(() => title.current?.focus(), []);

  return (
    <ConfigProvider theme={labels}>
      <Form<ChosenPassword>
        form={form}
        name="reset"
        size="middle"
        layout="vertical"
        requiredMark={false}
        className={styles.form}
        scrollToFirstError={{ focus: true }}
        onFinish={({ newPassword }) => onSubmit(newPassword)}
      >
        <h1 className={styles.title} ref={title} tabIndex={-1}>
          设置新密码
        </h1>
        <Alert
          type="info"
          showIcon
          icon={<Icon name="key" />}
          className={styles.alert}
          title={`${username} 的密码是管理员设置的，请换成只有自己知道的密码。`}
        />
        <FormAlert messages={elsewhere} />
        {/* For password managers: which account the new password is for. */}
        <input type="text" name="username" autoComplete="username" value={username} readOnly hidden />
        <NewPasswordFields size="large" extra="6–30 位，至少一个字母和一个数字，不能有用户名" />
        <Button
          size="large"
          type="primary"
          htmlType="submit"
          block
          className={styles.submit}
          loading={submitting}
        >
          保存并登录
        </Button>
        <Button type="link" block style={{ marginTop: 8 }} onClick={onBack}>
          换一个账号登录
        </Button>
      </Form>
    </ConfigProvider>
  );
}
