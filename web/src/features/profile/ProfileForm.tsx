import { App, Form, Input } from "antd";
import { useState } from "react";
import type { User } from "@/shared/api/profile";
import { FormPage } from "@/shared/form/FormPage";
import { NAME_LENGTH, rules } from "@/shared/lib/validators";
import { Panel } from "@/shared/ui/Panel";
import { usePhone } from "@/shared/ui/usePhone";
import { AvatarField } from "./AvatarField";
import { type OwnData, useChangeProfile } from "./api";

/** The picture is higher than a line: its label is at its middle. */
const beside = { flex: "140px", style: { alignSelf: "center" } };

export function ProfileForm({ user }: { user: User }) {
  const { message } = App.useApp();
  const phone = usePhone();
  const [form] = Form.useForm<OwnData>();
  const [dirty, setDirty] = useState(false);
  const change = useChangeProfile(user);
  const name = Form.useWatch("name", form) ?? user.name;

  return (
    <FormPage<OwnData>
      name="profile"
      form={form}
      initialValues={{
        name: user.name,
        email: user.email,
        phone: user.phone,
        introduction: user.introduction,
        avatar: user.avatar,
      }}
      dirty={dirty}
      onDirty={setDirty}
      error={change.error}
      submitting={change.isPending}
      onSubmit={(values) =>
        change.mutate(values, {
          onSuccess: () => {
            setDirty(false);
            message.success("已保存", 1.5);
          },
        })
      }
    >
      <Panel label="个人资料" padded>
        <Form.Item name="avatar" label="头像" {...(!phone && { labelCol: beside })}>
          <AvatarField name={name || user.username} />
        </Form.Item>
        <Form.Item label="用户名">{user.username}</Form.Item>
        <Form.Item
          name="name"
          label="姓名"
          rules={[{ max: NAME_LENGTH, message: `最多 ${NAME_LENGTH} 个字` }]}
        >
          <Input autoComplete="name" />
        </Form.Item>
        <Form.Item name="email" label="邮箱" rules={[rules.email]}>
          <Input type="email" autoComplete="email" placeholder="选填" />
        </Form.Item>
        <Form.Item name="phone" label="手机" rules={[rules.phone]}>
          <Input type="tel" autoComplete="tel-national" placeholder="选填" />
        </Form.Item>
        <Form.Item name="introduction" label="简介" rules={[{ max: 500, message: "最多 500 个字" }]}>
          <Input.TextArea autoSize={{ minRows: 3, maxRows: 8 }} placeholder="选填" />
        </Form.Item>
      </Panel>
    </FormPage>
  );
}
