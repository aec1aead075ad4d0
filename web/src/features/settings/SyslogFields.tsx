// The syslog server that the logs are forwarded to, and trying it out.
import { App, Button, Form, Input, InputNumber, Radio, Switch } from "antd";
import { useContext } from "react";
import { FormAlert } from "@/shared/form/FormAlert";
import { RecountFaults, useServerFaults } from "@/shared/form/form-faults";
import { Panel } from "@/shared/ui/Panel";
import { type SyslogSettings, useTestSyslog } from "./api";
import { type RetentionForm, retentionFormName, retentionOf, syslogPorts } from "./retention-form";

const field = <Name extends keyof SyslogSettings>(name: Name): ["forwarding", "syslog", Name] => [
  "forwarding",
  "syslog",
  name,
];

const protocols = [
  { value: "tls", label: "TLS" },
  { value: "tcp", label: "TCP" },
  { value: "udp", label: "UDP" },
];

export function SyslogFields() {
  const { message } = App.useApp();
  const form = Form.useFormInstance<RetentionForm>();
  const enabled = Form.useWatch(field("enabled"), form);
  const protocol = Form.useWatch(field("protocol"), form);
  const test = useTestSyslog();
  const elsewhere = useServerFaults(form, test.error, useContext(RecountFaults), retentionFormName);

  async function run() {
    try {
      await form.validateFields([field("host"), field("port")]);
    } catch {
      // The form shows the faults.
      return;
    }
    const { forwarding } = retentionOf(form.getFieldsValue(true));
    test.mutate(forwarding.syslog, {
      onSuccess: () =>
        message.success(protocol === "udp" ? "已发出，UDP 不知道对方是否收到" : "对方已收下测试消息", 1.5),
    });
  }

  return (
    <Panel title="转发到 syslog" padded>
      <FormAlert messages={elsewhere} />
      <Form.Item
        name={field("enabled")}
        label="启用转发"
        valuePropName="checked"
        extra="登录日志和操作日志在封存后发给 syslog 服务器（RFC 5424），封条一起发"
      >
        <Switch />
      </Form.Item>
      <Form.Item name={field("protocol")} label="协议" extra="TLS 和 TCP 保证至少送到一次，UDP 可能丢失">
        <Radio.Group
          options={protocols}
          onChange={() => {
            const { forwarding }: RetentionForm = form.getFieldsValue(true);
            const { port, protocol: chosen } = forwarding.syslog;
            // A port of the user's own choice stays.
            if (Object.values<number>(syslogPorts).includes(port))
              form.setFieldValue(field("port"), syslogPorts[chosen]);
          }}
        />
      </Form.Item>
      <Form.Item
        name={field("host")}
        label="主机"
        rules={[{ required: enabled ?? false, message: "请填写主机" }]}
      >
        <Input placeholder="syslog.example.com" spellCheck={false} />
      </Form.Item>
      <Form.Item name={field("port")} label="端口" rules={[{ required: true, message: "请填写" }]}>
        <InputNumber<number> min={1} max={65_535} precision={0} controls={false} />
      </Form.Item>
      {protocol === "tls" && (
        <Form.Item name={field("caCertificate")} label="CA 证书" extra="PEM 格式；留空则信任系统的证书">
          <Input.TextArea autoSize={{ minRows: 2, maxRows: 8 }} spellCheck={false} />
        </Form.Item>
      )}
      <Form.Item label=" ">
        <Button loading={test.isPending} onClick={() => void run()}>
          发一条测试消息
        </Button>
      </Form.Item>
    </Panel>
  );
}
