// The fields of a disk user's profile, for one user and for the defaults.
import { Checkbox, Form, Input, Segmented, Select, Switch } from "antd";
import touch from "@/shared/form/TouchChoice.module.css";
import { orderOptions, permissions, themeOptions, viewOptions } from "./options";
import { withAdmin } from "./profile-form";
import { RulesField } from "./RulesField";

interface ProfileFieldsProps {
  /** The path of the profile in the form. */
  at?: string;
  /** New users never get these, whatever is set. */
  newcomers?: boolean;
}

export function ProfileFields({ at, newcomers = false }: ProfileFieldsProps) {
  const name = (field: string) => (at === undefined ? field : [at, field]);
  return (
    <>
      <Form.Item name={name("scope")} label="根目录" extra="用户可见的起始目录，/ 表示整个网盘">
        <Input placeholder="/" spellCheck={false} />
      </Form.Item>
      <Form.Item name={name("perm")} label="权限" normalize={withAdmin}>
        <Checkbox.Group
          style={{ rowGap: 8 }}
          options={permissions
            .filter(({ value }) => !newcomers || (value !== "admin" && value !== "execute"))
            .map(({ value, label }) => ({ value, label, className: touch.choice ?? "" }))}
        />
      </Form.Item>
      <Form.Item name={name("viewMode")} label="显示方式">
        <Segmented aria-label="显示方式" options={[...viewOptions]} />
      </Form.Item>
      <Form.Item name={name("theme")} label="主题">
        <Segmented aria-label="主题" options={[...themeOptions]} />
      </Form.Item>
      <Form.Item label="语言">简体中文</Form.Item>
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
        extra="打开后，这个人不能在“修改密码”页改自己的密码"
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
