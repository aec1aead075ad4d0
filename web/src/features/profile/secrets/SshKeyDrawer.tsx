import { App, Form, Input } from "antd";
import { FormDrawer } from "@/shared/form/FormDrawer";
import { useCreateSshKey } from "./api";

interface SshKeyValues {
  key: string;
  name: string;
}

interface SshKeyDrawerProps {
  open: boolean;
  onClose: () => void;
}

const initial: SshKeyValues = { key: "", name: "" };

/** What a key's line says about itself after its second word, such as `ann@laptop`. */
const commentOf = (key: string) => key.trim().split(/\s+/).slice(2).join(" ").slice(0, 50);

export function SshKeyDrawer({ open, onClose }: SshKeyDrawerProps) {
  const { message } = App.useApp();
  const [form] = Form.useForm<SshKeyValues>();
  const create = useCreateSshKey();

  function close() {
    create.reset();
    onClose();
  }

  function suggest({ key }: Partial<SshKeyValues>) {
    if (key !== undefined && !form.isFieldTouched("name")) form.setFieldValue("name", commentOf(key));
  }

  return (
    <FormDrawer<SshKeyValues>
      open={open}
      title="添加 SSH 公钥"
      form={form}
      initialValues={initial}
      submitText="添加"
      error={create.error}
      submitting={create.isPending}
      onClose={close}
      onSubmit={(values) =>
        create.mutate(values, {
          onSuccess: ({ name }) => {
            message.success(`已添加 ${name}`, 1.5);
            close();
          },
        })
      }
    >
      <Form.Item
        name="key"
        label="公钥"
        rules={[{ required: true, whitespace: true, message: "请粘贴公钥" }]}
        extra={
          <>
            电脑上 .pub 文件里的那一行，通常是 ~/.ssh/id_ed25519.pub；没有的话先运行{" "}
            <code>ssh-keygen -t ed25519</code>
            。不要粘贴私钥。
          </>
        }
      >
        <Input.TextArea
          autoFocus
          autoSize={{ minRows: 3, maxRows: 8 }}
          maxLength={8192}
          spellCheck={false}
          placeholder="ssh-ed25519 AAAA… ann@laptop"
          onChange={(event) => suggest({ key: event.target.value })}
        />
      </Form.Item>
      <Form.Item
        name="name"
        label="名称"
        rules={[{ required: true, whitespace: true, message: "请填写是哪台电脑，以后才认得出来" }]}
      >
        <Input autoComplete="off" maxLength={50} placeholder="如：笔记本电脑" />
      </Form.Item>
    </FormDrawer>
  );
}
