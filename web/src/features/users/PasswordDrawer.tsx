// Sets another user's password, which ends all of their sessions.
import { useQuery } from "@tanstack/react-query";
import { Alert, App, Form, Input } from "antd";
import { useState } from "react";
import { FormDrawer } from "@/shared/form/FormDrawer";
import { rules } from "@/shared/lib/validators";
import { CopyText } from "@/shared/ui/CopyText";
import { ErrorPanel } from "@/shared/ui/ErrorPanel";
import { useResetPassword, userQueryById } from "./api";
import { initialPassword } from "./initial-password";
import { RegenerateButton } from "./RegenerateButton";

interface PasswordForm {
  newPassword: string;
}

interface PasswordDrawerProps {
  open: boolean;
  id: number;
  onClose: () => void;
}

export function PasswordDrawer({ open, id, onClose }: PasswordDrawerProps) {
  const { message } = App.useApp();
  const [form] = Form.useForm<PasswordForm>();
  const [generated] = useState(initialPassword);
  const person = useQuery({ ...userQueryById(id), enabled: open });
  const reset = useResetPassword();
  const username = person.data?.username ?? "";
  return (
    <FormDrawer<PasswordForm>
      open={open}
      title={`重置密码 ${username}`}
      form={form}
      initialValues={person.data ? { newPassword: generated } : null}
      missing={
        person.error && (
          <ErrorPanel title="资料没有取到" error={person.error} onRetry={() => void person.refetch()} />
        )
      }
      submitText="重置"
      error={reset.error}
      submitting={reset.isPending}
      onClose={onClose}
      onSubmit={({ newPassword }) =>
        reset.mutate(
          { id, newPassword },
          {
            onSuccess: () => {
              message.success(`已重置 ${username} 的密码`, 1.5);
              onClose();
            },
          },
        )
      }
    >
      <Alert
        type="info"
        showIcon
        style={{ marginBottom: 16 }}
        title={`重置后 ${username} 的所有登录会立即失效，对方下次登录时要换成自己的密码。请先复制新密码，之后看不到它。`}
      />
      <Form.Item
        name="newPassword"
        label="新密码"
        rules={[{ required: true, message: "请填写新密码" }, rules.password]}
        validateFirst
        extra="6–30 位，至少一个字母和一个数字"
      >
        <Input
          autoComplete="off"
          spellCheck={false}
          suffix={<RegenerateButton onClick={() => form.setFieldValue("newPassword", initialPassword())} />}
        />
      </Form.Item>
      <Form.Item label=" " shouldUpdate>
        {() => <CopyText text={form.getFieldValue("newPassword") ?? ""}>复制新密码</CopyText>}
      </Form.Item>
    </FormDrawer>
  );
}
