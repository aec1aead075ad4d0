import { Form, Input } from "antd";
import { FormDrawer } from "@/shared/form/FormDrawer";
import { useCreateAppPassword } from "./api";
import type { NewSecret } from "./SecretShown";
import { nameRules } from "./secret-name";

interface AppPasswordDrawerProps {
  open: boolean;
  onClose: () => void;
  onMade: (made: NewSecret) => void;
}

const initial = { name: "" };

export function AppPasswordDrawer({ open, onClose, onMade }: AppPasswordDrawerProps) {
  const [form] = Form.useForm<typeof initial>();
  const create = useCreateAppPassword();
  return (
    <FormDrawer<typeof initial>
      open={open}
      title="新建应用密码"
      form={form}
      initialValues={initial}
      submitText="创建"
      error={create.error}
      submitting={create.isPending}
      onClose={() => {
        create.reset();
        onClose();
      }}
      onSubmit={(values) =>
        create.mutate(values, {
          onSuccess: ({ name, password }) => {
            create.reset();
            onMade({ title: `应用密码 ${name}`, secret: password });
          },
        })
      }
    >
      <Form.Item name="name" label="用途" rules={nameRules}>
        <Input autoComplete="off" autoFocus maxLength={50} placeholder="如：笔记本上的 rclone" />
      </Form.Item>
    </FormDrawer>
  );
}
