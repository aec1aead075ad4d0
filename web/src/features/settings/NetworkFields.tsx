// The isolation of instances from each other and from their servers.
import { Form, Input, Switch } from "antd";
import { Panel } from "@/shared/ui/Panel";
import { arePorts } from "./network-form";

const ports = {
  validator: (_rule: unknown, value: unknown) =>
    typeof value !== "string" || arePorts(value)
      ? Promise.resolve()
      : Promise.reject(new Error("请填写 1 到 65535 之间的端口，用逗号隔开")),
};

export function NetworkFields() {
  return (
    <Panel title="实例网络" padded>
      <Form.Item
        name={["network", "subnets"]}
        label="网段"
        rules={[{ required: true, whitespace: true, message: "请填写网段" }]}
        extra="在每台服务器上，每人从这个网段里得到一个自己的网络，有 64 个地址，最多 61 个实例；/16 可供 1024 人使用，最小 /17。请填内网没有使用的私有地址。更换后，已有的网络等到没有实例使用时才会更换"
      >
        <Input placeholder="10.87.0.0/16" spellCheck={false} />
      </Form.Item>
      <Form.Item
        name={["network", "openPorts"]}
        label="开放的服务器端口"
        rules={[ports]}
        extra="实例不能访问所在服务器自己的服务，DNS、平台、网盘和实例对外的端口除外。实例要用的其他服务，例如服务器上的代理，把它的 TCP 端口填在这里，用逗号隔开"
      >
        <Input placeholder="例如 7890，3128" inputMode="numeric" spellCheck={false} />
      </Form.Item>
      <Form.Item
        name={["network", "noNewPrivileges"]}
        label="禁止提升权限"
        valuePropName="checked"
        extra="打开后，新建的实例里不能用 sudo 和 su 提升权限（no-new-privileges）。多数镜像需要 sudo，所以默认关闭；已有的实例不变"
      >
        <Switch />
      </Form.Item>
    </Panel>
  );
}
