// A new password, and the same once more: for forms with the fields `newPassword` and `repeat`.
import { Form, Input } from "antd";
import { rules } from "@/shared/lib/validators";

interface NewPasswordFieldsProps {
  /** The rule below the field. */
  extra: string;
  size?: "large";
}

export function NewPasswordFields({ extra, size }: NewPasswordFieldsProps) {
  return (
    <>
      <Form.Item
        name="newPassword"
        label="新密码"
        extra={extra}
        rules={[{ required: true, message: "请输入新密码" }, rules.password]}
      >
        <Input.Password size={size} autoComplete="new-password" maxLength={1024} />
      </Form.Item>
      <Form.Item
        name="repeat"
        label="再输一次"
        dependencies={["newPassword"]}
        rules={[
          { required: true, message: "请再输一次新密码" },
          ({ getFieldValue }) => ({
            validator: (_rule, value) =>
              !value || value === getFieldValue("newPassword")
                ? Promise.resolve()
                : Promise.reject(new Error("密码不一致")),
          }),
        ]}
      >
        <Input.Password size={size} autoComplete="new-password" maxLength={1024} />
      </Form.Item>
    </>
  );
}
