import { useQuery } from "@tanstack/react-query";
import { Button, Form, Input, Select, Space } from "antd";
import { sshGatewayQuery } from "@/shared/api/ssh-gateway";
import { FormDrawer } from "@/shared/form/FormDrawer";
import { chooseFolder } from "@/shared/stores/folder-choice";
import { type AppPassword, useCreateAppPassword } from "./api";
import { expiresIn, lives } from "./lives";
import type { NewSecret } from "./SecretShown";
import { nameRules } from "./secret-name";

interface AppPasswordValues {
  name: string;
  kind: AppPassword["kind"];
  /** Empty for the whole disk. */
  folder: string;
  /** Days; 0 = it has no end. */
  expires: number;
}

interface AppPasswordDrawerProps {
  open: boolean;
  onClose: () => void;
  onMade: (made: NewSecret) => void;
}

const initial: AppPasswordValues = { name: "", kind: "files", folder: "", expires: 365 };

const kinds: { value: AppPassword["kind"]; label: string }[] = [
  { value: "files", label: "网盘（WebDAV）" },
  { value: "ssh", label: "登录实例（SSH）" },
];

export function AppPasswordDrawer({ open, onClose, onMade }: AppPasswordDrawerProps) {
  const [form] = Form.useForm<AppPasswordValues>();
  const kind = Form.useWatch("kind", form) ?? "files";
  const forSsh = useQuery(sshGatewayQuery).data?.passwords;
  const create = useCreateAppPassword();

  async function choose() {
    const path = await chooseFolder("选择应用密码能访问的文件夹");
    if (path !== null) form.setFieldValue("folder", path);
  }

  return (
    <FormDrawer<AppPasswordValues>
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
      onSubmit={({ name, kind, folder = "", expires }) =>
        create.mutate(
          {
            name,
            kind,
            ...(folder.trim() && { folder: folder.trim() }),
            ...(expires > 0 && { expires: expiresIn(expires) }),
          },
          {
            onSuccess: ({ password }) => {
              create.reset();
              onMade({ title: `应用密码 ${name}`, secret: password });
            },
          },
        )
      }
    >
      <Form.Item name="name" label="用途" rules={nameRules}>
        <Input autoComplete="off" autoFocus maxLength={50} placeholder="如：笔记本上的 rclone" />
      </Form.Item>
      <Form.Item name="kind" label="用在哪里" hidden={!forSsh}>
        <Select options={kinds} />
      </Form.Item>
      {kind === "files" && (
        <Form.Item label="文件夹" extra="只能访问这个文件夹，程序里看到的根目录就是它；留空可以访问整个网盘">
          <Space.Compact block>
            <Form.Item name="folder" noStyle>
              <Input placeholder="整个网盘" aria-label="文件夹" autoComplete="off" spellCheck={false} />
            </Form.Item>
            <Button onClick={() => void choose()}>选择</Button>
          </Space.Compact>
        </Form.Item>
      )}
      <Form.Item name="expires" label="有效期" extra="到期后自动失效，不能延长">
        <Select options={[...lives, { value: 0, label: "不过期" }]} />
      </Form.Item>
    </FormDrawer>
  );
}
