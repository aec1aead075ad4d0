// An optional password for a new link.
import { Button, Form, type GetRef, Input, Space } from "antd";
import { type RefObject, useId } from "react";
import { easyPassword } from "./share-password";

interface SharePasswordFieldProps {
  field: RefObject<GetRef<typeof Input.Password> | null>;
  value: string;
  fault: string | undefined;
  placeholder: string;
  onChange: (value: string) => void;
}

export function SharePasswordField({ field, value, fault, placeholder, onChange }: SharePasswordFieldProps) {
  const id = useId();
  const faultId = useId();
  return (
    <Form.Item
      label="密码（可选）"
      htmlFor={id}
      style={{ marginBottom: 16 }}
      validateStatus={fault ? "error" : ""}
      help={fault && <span id={faultId}>{fault}</span>}
    >
      <Space.Compact block>
        <Input.Password
          id={id}
          ref={field}
          aria-invalid={fault !== undefined}
          aria-describedby={fault && faultId}
          autoComplete="new-password"
          placeholder={placeholder}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
        <Button onClick={() => onChange(easyPassword())}>随机生成</Button>
      </Space.Compact>
    </Form.Item>
  );
}
