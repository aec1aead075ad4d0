// The fields of a server: its engine's endpoint, the host that people connect to, and the resources for instances.
import { Form, Input, Switch } from "antd";
import { FormGroup } from "@/shared/form/FormGroup";
import { UnitInput } from "@/shared/form/UnitInput";
import styles from "./ServerFields.module.css";
import { needsTls, type ServerFormValues } from "./server-form";

interface ServerFieldsProps {
  /** Certificates are there; leaving the fields empty keeps them. */
  keepsTls?: boolean;
  /** Its endpoint comes from the portal's configuration. */
  local?: boolean;
}

const filled = [{ required: true, whitespace: true, message: "请填写" }];
const numbered = [{ required: true, message: "请填写" }];

const pems = [
  { name: "ca", label: "CA 证书", example: "-----BEGIN CERTIFICATE-----" },
  { name: "cert", label: "客户端证书", example: "-----BEGIN CERTIFICATE-----" },
  { name: "key", label: "客户端私钥", example: "-----BEGIN PRIVATE KEY-----" },
] as const;

export function ServerFields({ keepsTls = false, local = false }: ServerFieldsProps) {
  const endpoint = Form.useWatch<ServerFormValues["endpoint"] | undefined>("endpoint");
  return (
    <>
      <FormGroup title="服务器">
        <Form.Item name="name" label="名称" rules={filled}>
          <Input maxLength={40} autoFocus placeholder="例如 gpu-a01" />
        </Form.Item>
        <Form.Item
          name="publicHost"
          label="公开地址"
          rules={filled}
          extra="SSH 命令和端口链接里的主机名或 IP"
        >
          <Input placeholder="例如 gpu-a01.lab.cn" />
        </Form.Item>
      </FormGroup>
      <FormGroup title="容器引擎">
        <Form.Item
          name="endpoint"
          label="引擎地址"
          rules={filled}
          extra={local ? "本机引擎的地址由配置文件决定" : "tcp://主机:2376（必须用 TLS）或 unix:///路径"}
        >
          <Input disabled={local} spellCheck={false} />
        </Form.Item>
        {needsTls(endpoint) &&
          pems.map(({ name, label, example }) => (
            <Form.Item
              key={name}
              name={name}
              label={label}
              rules={keepsTls ? [] : filled}
              extra={keepsTls ? "留空保留现有的" : undefined}
            >
              <Input.TextArea
                autoSize={{ minRows: 2, maxRows: 5 }}
                placeholder={example}
                spellCheck={false}
                autoComplete="off"
              />
            </Form.Item>
          ))}
      </FormGroup>
      <FormGroup title="实例">
        <Form.Item label="端口范围" required>
          <div className={styles.pair}>
            <Form.Item name="portFrom" rules={numbered} noStyle>
              <UnitInput aria-label="端口范围起点" min={1024} max={65535} precision={0} unit="起" />
            </Form.Item>
            <Form.Item name="portTo" rules={numbered} noStyle>
              <UnitInput aria-label="端口范围终点" min={1024} max={65535} precision={0} unit="止" />
            </Form.Item>
          </div>
        </Form.Item>
        <Form.Item
          name="storagePath"
          label="网盘路径"
          extra={
            local
              ? "本机的网盘目录由配置文件决定"
              : "网盘根目录在那台机器上的绝对路径；留空时实例看不到网盘文件"
          }
        >
          <Input disabled={local} placeholder="例如 /mnt/yunlab" spellCheck={false} />
        </Form.Item>
        <Form.Item name="reservedCores" label="保留 CPU" rules={numbered} extra="留给系统，不分给实例">
          <UnitInput min={0} precision={1} unit="核" />
        </Form.Item>
        <Form.Item name="reservedGb" label="保留内存" rules={numbered} extra="留给系统，不分给实例">
          <UnitInput min={0} precision={2} unit="GB" />
        </Form.Item>
      </FormGroup>
      <FormGroup title="主机助手">
        <Form.Item
          name="machineHelper"
          label="允许使用主机助手"
          valuePropName="checked"
          extra="读取内核日志、限制文件夹大小、设置网络规则时，平台在服务器上启动一个短时运行的容器；每次都记入操作日志。关掉后这些功能在这台服务器上不能使用"
        >
          <Switch />
        </Form.Item>
      </FormGroup>
    </>
  );
}
