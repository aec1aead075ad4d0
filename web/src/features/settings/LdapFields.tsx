// The directory (LDAP): its address, the search for people, and the attributes and groups that are imported.
import { Alert, Form, Input, Switch } from "antd";
import { Panel } from "@/shared/ui/Panel";
import type { AuthForm } from "./auth-form";
import { LdapCheck } from "./LdapCheck";
import { RowsField } from "./RowsField";

interface LdapFieldsProps {
  /** A bind password is stored; it is never read back. */
  passwordSet: boolean;
  groups: { value: number; label: string }[];
}

export function LdapFields({ passwordSet, groups }: LdapFieldsProps) {
  return (
    <Panel title="LDAP 目录" padded>
      <Form.Item
        name={["ldap", "enabled"]}
        label="启用目录登录"
        valuePropName="checked"
        extra="本地账号不受影响，目录不可用时仍能登录"
      >
        <Switch />
      </Form.Item>
      <Connection passwordSet={passwordSet} />
      <RowsField
        name={["ldap", "searches"]}
        label="查找范围"
        note="从上往下找，先找到的为准；{username} 代表登录时填的用户名"
        add="添加查找范围"
        empty={{ base: "", filter: "(uid={username})" }}
        columns={[
          { name: "base", label: "起点", placeholder: "ou=people,dc=example,dc=com" },
          { name: "filter", label: "过滤条件", placeholder: "(uid={username})" },
        ]}
      />
      <Form.Item name={["ldap", "attributes", "username"]} label="用户名属性">
        <Input placeholder="uid" spellCheck={false} />
      </Form.Item>
      <Form.Item name={["ldap", "attributes", "name"]} label="姓名属性" extra="留空的属性不从目录取">
        <Input placeholder="cn" spellCheck={false} />
      </Form.Item>
      <Form.Item name={["ldap", "attributes", "email"]} label="邮箱属性">
        <Input placeholder="mail" spellCheck={false} />
      </Form.Item>
      <Form.Item name={["ldap", "attributes", "phone"]} label="手机属性">
        <Input placeholder="mobile" spellCheck={false} />
      </Form.Item>
      <RowsField
        name={["ldap", "groupMapping"]}
        label="用户组映射"
        note="这些用户组的成员以目录为准，每次登录时更新；其他用户组不变"
        add="添加映射"
        empty={{ dn: "", group: undefined }}
        columns={[
          {
            name: "dn",
            label: "目录里的组",
            placeholder: "cn=vision,ou=groups,dc=example,dc=com",
          },
          { name: "group", label: "用户组", placeholder: "选择用户组", options: groups },
        ]}
      />
      <Form.Item
        name={["ldap", "createUsers"]}
        label="首次登录建账号"
        valuePropName="checked"
        extra="目录里的人第一次登录时自动建立账号，配额用默认值"
      >
        <Switch />
      </Form.Item>
      <LdapCheck groups={groups} />
    </Panel>
  );
}

function Connection({ passwordSet }: { passwordSet: boolean }) {
  return (
    <>
      <Form.Item name={["ldap", "url"]} label="目录地址">
        <Input placeholder="ldaps://ldap.example.com:636" inputMode="url" spellCheck={false} />
      </Form.Item>
      <Form.Item
        name={["ldap", "startTls"]}
        label="StartTLS"
        valuePropName="checked"
        extra="只用于 ldap:// 地址"
      >
        <Switch />
      </Form.Item>
      <PlainWarning />
      <Form.Item name={["ldap", "caCertificate"]} label="CA 证书" extra="PEM 格式；留空用系统信任的证书">
        <Input.TextArea
          placeholder="-----BEGIN CERTIFICATE-----"
          autoSize={{ minRows: 2, maxRows: 8 }}
          spellCheck={false}
        />
      </Form.Item>
      <Form.Item name={["ldap", "bindDn"]} label="绑定账号" extra="用来查找人的只读账号；留空时匿名查找">
        <Input placeholder="cn=reader,dc=example,dc=com" spellCheck={false} autoComplete="off" />
      </Form.Item>
      <Form.Item
        name={["ldap", "bindPassword"]}
        label="绑定密码"
        extra={passwordSet ? "已经设置，留空保持不变；换了地址、加密或账号时重新填写" : "还没有设置"}
      >
        <Input.Password autoComplete="new-password" />
      </Form.Item>
    </>
  );
}

/** Passwords go over the network as they were typed. */
function PlainWarning() {
  const form = Form.useFormInstance<AuthForm>();
  const url = Form.useWatch(["ldap", "url"], form) ?? "";
  const startTls = Form.useWatch(["ldap", "startTls"], form) ?? false;
  if (startTls || !/^ldap:/i.test(url.trim())) return null;
  return (
    <Alert
      type="warning"
      showIcon
      style={{ marginBottom: 16 }}
      title="没有加密：密码会以明文经过网络。请打开 StartTLS，或使用 ldaps:// 地址。"
    />
  );
}
