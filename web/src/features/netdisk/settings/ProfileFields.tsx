// The fields of a disk user's profile, for one person and for what newcomers get.
import { Checkbox, Form, Input, Segmented, Select, Switch } from "antd";
import { orderOptions, permissions, viewOptions } from "./options";
import { withAdmin } from "./profile-form";
import { RulesField } from "./RulesField";

interface ProfileFieldsProps {
  /** Where the profile stands in the form. */
  at?: string;
  /** Newcomers never get these, whatever is set. */
  newcomers?: boolean;
}

export function ProfileFields({ at, newcomers = false }: ProfileFieldsProps) {
  const name = (field: string) => (at === undefined ? field : [at, field]);
  return (
    <>
      <Form.Item name={name("scope")} label="根目录" extra="这个人看到的网盘从哪里开始；/ 是全部">
        <Input placeholder="/" spellCheck={false} />
      </Form.Item>
      <Form.Item name={name("perm")} label="权限" normalize={withAdmin}>
        <Checkbox.Group
          options={permissions
            .filter(({ value }) => !newcomers || (value !== "admin" && value !== "execute"))
            .map(({ value, label }) => ({ value, label }))}
        />
      </Form.Item>
      <Form.Item name={name("viewMode")} label="显示方式">
        <Segmented options={[...viewOptions]} />
      </Form.Item>
      <Form.Item name={name("order")} label="排序">
        <Select options={[...orderOptions]} />
      </Form.Item>
      <Form.Item name={name("singleClick")} label="单击打开" valuePropName="checked">
        <Switch />
      </Form.Item>
      <Form.Item name={name("hideDotfiles")} label="隐藏点文件" valuePropName="checked">
        <Switch />
      </Form.Item>
      <Form.Item
        name={name("lockPassword")}
        label="锁定密码"
        valuePropName="checked"
        extra="密码属于平台账号；这里只作标记"
      >
        <Switch />
      </Form.Item>
      {!newcomers && (
        <Form.Item name={name("commands")} label="可执行的命令" extra="每行一个程序名，需要有执行命令的权限">
          <Input.TextArea autoSize={{ minRows: 2, maxRows: 8 }} spellCheck={false} />
        </Form.Item>
      )}
      <RulesField at={at} extra="排在全局规则之后；后面的规则优先" />
    </>
  );
}
