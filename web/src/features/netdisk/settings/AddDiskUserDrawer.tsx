// Creates a disk user before the person's first visit, so that it can be changed.
import { App, Form, Input } from "antd";
import { FormDrawer } from "@/shared/form/FormDrawer";
import { useAddDiskUser } from "./api";

interface AddDiskUserDrawerProps {
  host: string;
  open: boolean;
  onClose: () => void;
}

interface AddForm {
  username: string;
}

const empty: AddForm = { username: "" };

export function AddDiskUserDrawer({ host, open, onClose }: AddDiskUserDrawerProps) {
  const { message } = App.useApp();
  const [form] = Form.useForm<AddForm>();
  const add = useAddDiskUser(host);
  const taken = add.error?.status === 409;
  return (
    <FormDrawer<AddForm>
      open={open}
      title="添加网盘用户"
      form={form}
      initialValues={empty}
      submitText="添加"
      error={add.error && (taken ? { message: "这个人已经是网盘用户", fields: [] } : add.error)}
      submitting={add.isPending}
      onClose={onClose}
      onSubmit={({ username }) =>
        add.mutate(username.trim(), {
          onSuccess: () => {
            message.success(`已添加网盘用户 ${username.trim()}`, 1.5);
            onClose();
          },
        })
      }
    >
      <Form.Item
        name="username"
        label="用户名"
        extra="平台上已有的账号；访问过网盘的人会自动出现"
        rules={[{ required: true, whitespace: true, message: "请输入用户名" }]}
      >
        <Input autoFocus autoComplete="off" spellCheck={false} />
      </Form.Item>
    </FormDrawer>
  );
}
