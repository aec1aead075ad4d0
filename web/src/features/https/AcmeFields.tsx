// The settings of an ACME server.
import { Form, Input } from "antd";

export function AcmeFields({ keySet }: { keySet: boolean }) {
  return (
    <>
      <Form.Item
        name="directory"
        label="ACME 服务器"
        rules={[{ required: true, whitespace: true, message: "请填写 ACME 服务器的目录地址" }]}
        extra="默认是 Let's Encrypt。保存就是同意该 CA 的服务条款；也可以填学校或单位自己的 ACME 服务器"
      >
        <Input inputMode="url" autoComplete="off" spellCheck={false} />
      </Form.Item>
      <Form.Item name="email" label="邮箱" extra="CA 有重要通知时联系，可以留空">
        <Input inputMode="email" autoComplete="off" spellCheck={false} />
      </Form.Item>
      <Form.Item name="eabKeyId" label="外部账号编号" extra="CA 要求外部账号绑定（EAB）时填写，一般留空">
        <Input autoComplete="off" spellCheck={false} />
      </Form.Item>
      <Form.Item name="eabKey" label="外部账号密钥" extra={keySet ? "已设置，留空保持不变" : undefined}>
        <Input.Password placeholder={keySet ? "••••••" : undefined} autoComplete="new-password" />
      </Form.Item>
      <Form.Item
        name="caCertificate"
        label="服务器的根证书"
        extra="自建的 ACME 服务器填写信任它的根证书，留空用系统信任的"
      >
        <Input.TextArea
          placeholder="-----BEGIN CERTIFICATE-----"
          autoSize={{ minRows: 1, maxRows: 6 }}
          spellCheck={false}
        />
      </Form.Item>
    </>
  );
}
