// The fields of a user: account, then quotas.
import { Checkbox, Flex, Form, Input, Radio } from "antd";
import { FormGroup } from "@/shared/form/FormGroup";
import { LastDayPicker } from "@/shared/form/LastDayPicker";
import { MultiSelect } from "@/shared/form/MultiSelect";
import { NAME_LENGTH, rules } from "@/shared/lib/validators";
import { QuotaFields } from "@/shared/quotas/QuotaFields";
import { initialPassword } from "./initial-password";
import { RegenerateButton } from "./RegenerateButton";
import type { UserForm } from "./user-form";

interface UserFieldsProps {
  creating: boolean;
  /** The administrator's own account, whose role is locked against accidents. */
  self: boolean;
  underscoreAllowed: boolean;
  groups: { value: number; label: string }[];
  groupsLoading: boolean;
}

export function UserFields({ creating, self, underscoreAllowed, groups, groupsLoading }: UserFieldsProps) {
  return (
    <>
      <FormGroup title="账号">
        <Form.Item
          name="username"
          label="用户名"
          rules={[
            { required: true, whitespace: true, message: "请填写用户名" },
            underscoreAllowed ? rules.usernameWithUnderscore : rules.username,
          ]}
          validateFirst
          extra={creating ? undefined : "用户名也是网盘目录的名字，创建后不再更改"}
        >
          <Input autoComplete="off" spellCheck={false} disabled={!creating} autoFocus={creating} />
        </Form.Item>
        <Form.Item
          name="name"
          label="姓名"
          rules={[
            { required: true, whitespace: true, message: "请填写姓名" },
            { max: NAME_LENGTH, message: `最多 ${NAME_LENGTH} 个字` },
          ]}
        >
          <Input autoComplete="off" />
        </Form.Item>
        {creating && <PasswordField />}
        {creating && (
          <Form.Item name="mustChangePassword" label="首次登录" valuePropName="checked">
            <Checkbox>须换成自己的密码</Checkbox>
          </Form.Item>
        )}
        <Form.Item name="email" label="邮箱" rules={[rules.email]} validateTrigger="onBlur">
          <Input placeholder="选填" autoComplete="off" inputMode="email" />
        </Form.Item>
        <Form.Item name="phone" label="手机" rules={[rules.phone]} validateTrigger="onBlur">
          <Input placeholder="选填" autoComplete="off" inputMode="tel" />
        </Form.Item>
        <Form.Item name="groups" label="用户组">
          <MultiSelect
            placeholder="选填"
            options={groups}
            loading={groupsLoading}
            showSearch={{ optionFilterProp: "label" }}
            notFoundContent="还没有用户组"
          />
        </Form.Item>
        <Form.Item label="角色">
          <Flex gap={16} align="center" wrap>
            <Form.Item name="role" noStyle>
              <Radio.Group
                aria-label="角色"
                disabled={self}
                options={[
                  { value: 2, label: "普通用户" },
                  { value: 1, label: "管理员" },
                ]}
              />
            </Form.Item>
            <Form.Item name="groupLeader" valuePropName="checked" noStyle>
              <Checkbox>组长</Checkbox>
            </Form.Item>
          </Flex>
        </Form.Item>
        {!self && (
          <Form.Item
            name="endsOn"
            label="到期日"
            extra="过了这天账号自动禁用、实例停止，提前 14 天和 3 天提醒本人和管理员；留空为长期"
          >
            <LastDayPicker />
          </Form.Item>
        )}
        <Form.Item name="introduction" label="简介">
          <Input.TextArea placeholder="选填" autoSize={{ minRows: 1, maxRows: 4 }} maxLength={500} />
        </Form.Item>
      </FormGroup>
      <FormGroup title="配额">
        <QuotaFields />
      </FormGroup>
    </>
  );
}

/** Readable on purpose: the administrator has to hand it over. */
function PasswordField() {
  const form = Form.useFormInstance<UserForm>();
  return (
    <Form.Item
      name="password"
      label="初始密码"
      rules={[{ required: true, message: "请填写初始密码" }, rules.password]}
      validateFirst
      extra="6–30 位，至少一个字母和一个数字"
    >
      <Input
        autoComplete="off"
        spellCheck={false}
        suffix={<RegenerateButton onClick={() => form.setFieldValue("password", initialPassword())} />}
      />
    </Form.Item>
  );
}
