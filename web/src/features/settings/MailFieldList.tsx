// The fields of 邮件通知.
import { Checkbox, Form, Input, InputNumber, Select, Switch } from "antd";
import { kindOptions } from "@/shared/notices/words";
import { securities } from "./mail-form";
import styles from "./WebhookPanel.module.css";

interface MailFieldListProps {
  enabled: boolean;
  passwordSet: boolean;
}

export function MailFieldList({ enabled, passwordSet }: MailFieldListProps) {
  return (
    <>
      <Form.Item
        name="enabled"
        label="发送邮件"
        valuePropName="checked"
        extra="发给填写了邮箱的人，每个人可在个人资料里按类别关闭；邮件只有标题和链接，没有工单的内容。停用时丢弃等待发送的邮件"
      >
        <Switch />
      </Form.Item>
      <Form.Item
        name="host"
        label="邮件服务器"
        rules={[{ required: enabled, whitespace: true, message: "请填写邮件服务器" }]}
      >
        <Input placeholder="smtp.example.com" inputMode="url" autoComplete="off" spellCheck={false} />
      </Form.Item>
      <Form.Item name="security" label="加密方式">
        <Select options={securities.map(({ value, label }) => ({ value, label }))} />
      </Form.Item>
      <Form.Item name="port" label="服务器端口" rules={[{ required: true, message: "请填写端口" }]}>
        <InputNumber min={1} max={65_535} precision={0} />
      </Form.Item>
      <Form.Item name="username" label="邮箱账号" extra="不需要登录时留空">
        <Input autoComplete="off" spellCheck={false} />
      </Form.Item>
      <Form.Item
        name="password"
        label="邮箱密码"
        extra={passwordSet ? "已设置，留空保持不变" : "很多邮箱要用授权码，不是登录网页的密码"}
      >
        <Input.Password placeholder={passwordSet ? "••••••" : undefined} autoComplete="new-password" />
      </Form.Item>
      <Form.Item
        name="from"
        label="发件人邮箱"
        rules={[{ required: enabled, whitespace: true, message: "请填写发件人邮箱" }]}
      >
        <Input placeholder="lab@example.com" inputMode="email" autoComplete="off" spellCheck={false} />
      </Form.Item>
      <Form.Item name="fromName" label="发件人名称" extra="留空用产品名称">
        <Input autoComplete="off" />
      </Form.Item>
      <Form.Item
        name="caCertificate"
        label="邮件 CA 证书"
        extra="自签证书时填写签发它的 CA，留空用系统信任的"
      >
        <Input.TextArea
          placeholder="-----BEGIN CERTIFICATE-----"
          autoSize={{ minRows: 1, maxRows: 6 }}
          spellCheck={false}
        />
      </Form.Item>
      <Form.Item name="kinds" label="邮件内容">
        <Checkbox.Group options={kindOptions} className={styles.events} />
      </Form.Item>
      <Form.Item name="to" label="测试邮件发给" extra="只用于测试，不保存">
        <Input inputMode="email" autoComplete="off" spellCheck={false} />
      </Form.Item>
    </>
  );
}
