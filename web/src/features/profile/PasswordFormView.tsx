import { Button, ConfigProvider, Form, Input } from "antd";
import type { ApiError } from "@/shared/api/problem";
import { FormAlert } from "@/shared/form/FormAlert";
import { useServerFaults } from "@/shared/form/form-faults";
import { formNotes, formTheme } from "@/shared/form/form-looks";
import { NewPasswordFields } from "@/shared/form/NewPasswordFields";
import { usePhone } from "@/shared/ui/usePhone";
import type { PasswordForm } from "./api";

interface PasswordFormViewProps {
  username: string;
  error: ApiError | null;
  submitting: boolean;
  onSubmit: (values: PasswordForm) => void;
}

/** Three fields need no count of faults. */
const uncounted = () => {};

export function PasswordFormView({ username, error, submitting, onSubmit }: PasswordFormViewProps) {
  const [form] = Form.useForm<PasswordForm>();
  const phone = usePhone();
  const elsewhere = useServerFaults(form, error, uncounted);
  return (
    <ConfigProvider componentSize="medium" theme={formTheme(phone)}>
      <Form<PasswordForm>
        name="password"
        form={form}
        layout={phone ? "vertical" : "horizontal"}
        labelCol={phone ? undefined : { flex: "100px" }}
        wrapperCol={phone ? undefined : { flex: "0 1 360px" }}
        colon={false}
        styles={formNotes}
        scrollToFirstError={{ focus: true }}
        onFinish={onSubmit}
      >
        <FormAlert messages={elsewhere} />
        {/* For password managers: which account the new password is for. */}
        <input type="text" name="username" autoComplete="username" value={username} readOnly hidden />
        <Form.Item name="oldPassword" label="原密码" rules={[{ required: true, message: "请输入原密码" }]}>
          <Input.Password autoComplete="current-password" maxLength={1024} />
        </Form.Item>
        <NewPasswordFields extra="6–30 位，至少一个字母和一个数字" />
        <Form.Item
          label={phone ? undefined : " "}
          style={{ marginTop: 20, marginBottom: 4 }}
          extra="修改后，所有已登录的地方都要用新密码重新登录。"
        >
          <Button type="primary" htmlType="submit" loading={submitting}>
            修改密码
          </Button>
        </Form.Item>
      </Form>
    </ConfigProvider>
  );
}
