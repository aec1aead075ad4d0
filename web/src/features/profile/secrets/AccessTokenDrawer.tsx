import { Checkbox, Form, Input, Select } from "antd";
import { FormDrawer } from "@/shared/form/FormDrawer";
import touch from "@/shared/form/TouchChoice.module.css";
import { type Scope, scopes } from "@/shared/lib/scopes";
import { isAdmin, useSession } from "@/shared/stores/session";
import styles from "./AccessTokenDrawer.module.css";
import { useCreateAccessToken } from "./api";
import { expiresIn, lives } from "./lives";
import type { NewSecret } from "./SecretShown";
import { nameRules } from "./secret-name";

interface TokenValues {
  name: string;
  scopes: Scope[];
  /** Until it expires. */
  expires: number;
}

interface AccessTokenDrawerProps {
  open: boolean;
  onClose: () => void;
  onMade: (made: NewSecret) => void;
}

const initial: TokenValues = { name: "", scopes: ["read"], expires: 30 };

export function AccessTokenDrawer({ open, onClose, onMade }: AccessTokenDrawerProps) {
  const admin = useSession(isAdmin);
  const [form] = Form.useForm<TokenValues>();
  const create = useCreateAccessToken();
  return (
    <FormDrawer<TokenValues>
      open={open}
      title="新建访问令牌"
      form={form}
      initialValues={initial}
      submitText="创建"
      error={create.error}
      submitting={create.isPending}
      onClose={() => {
        create.reset();
        onClose();
      }}
      onSubmit={({ expires, ...values }) =>
        create.mutate(
          { ...values, expires: expiresIn(expires) },
          {
            onSuccess: ({ name, token }) => {
              create.reset();
              onMade({ title: `访问令牌 ${name}`, secret: token });
            },
          },
        )
      }
    >
      <Form.Item name="name" label="用途" rules={nameRules}>
        <Input autoComplete="off" autoFocus maxLength={50} placeholder="如：夜间备份脚本" />
      </Form.Item>
      <Form.Item
        name="scopes"
        label="权限"
        rules={[
          {
            // Not marked as required: a group of checkboxes may not be called so.
            validator: async (_, chosen: Scope[]) => {
              if (!chosen.some((scope) => scope !== "admin")) throw new Error("请选择令牌可以做什么");
            },
          },
        ]}
      >
        <Checkbox.Group
          className={styles.choices}
          options={scopes
            .filter(({ value }) => admin || value !== "admin")
            .map(({ value, label, note }) => ({
              value,
              className: touch.choice ?? "",
              label: (
                <>
                  {label}
                  <small className={styles.explained}>{note}</small>
                </>
              ),
            }))}
        />
      </Form.Item>
      <Form.Item name="expires" label="有效期" extra="到期后自动失效，不能延长">
        <Select options={lives} />
      </Form.Item>
    </FormDrawer>
  );
}
