// The sections of the basic settings.
import { Flex, Form, Input, InputNumber, Switch } from "antd";
import { UnitInput } from "@/shared/form/UnitInput";
import { QuotaFields } from "@/shared/quotas/QuotaFields";
import { Panel } from "@/shared/ui/Panel";
import { pathOrAddress, webAddress } from "./address-rule";

const required = [{ required: true, message: "请填写" }];

export function IdentityFields() {
  return (
    <Panel title="名称与页脚" padded>
      <Form.Item
        name="productName"
        label="产品名称"
        rules={[{ required: true, whitespace: true, message: "请填写产品名称" }]}
        extra="显示在菜单、页面标题和登录页"
      >
        <Input maxLength={40} />
      </Form.Item>
      <Form.Item
        name="faqLink"
        label="常见问题链接"
        rules={[webAddress]}
        extra="留空时账号菜单中的“常见问题”不可点击"
      >
        <Input placeholder="https://" inputMode="url" />
      </Form.Item>
      <Form.Item name="thanksText" label="致谢文字">
        <Input maxLength={60} />
      </Form.Item>
      <Form.Item name="thanksLink" label="致谢链接" rules={[webAddress]}>
        <Input placeholder="https://" inputMode="url" />
      </Form.Item>
      <Form.Item name="copyright" label="版权文字">
        <Input maxLength={120} />
      </Form.Item>
      <Form.Item name="minerNotice" label="挖矿警示" extra="登录后显示，关闭后 7 天内不再显示；留空则不显示">
        <Input.TextArea autoSize={{ minRows: 2, maxRows: 6 }} maxLength={500} />
      </Form.Item>
    </Panel>
  );
}

export function AddressFields() {
  return (
    <Panel title="地址" padded>
      <Form.Item
        name="storageHost"
        label="存储服务器"
        rules={[pathOrAddress]}
        extra="网盘所在的地址。/disk 表示这台机器自己的网盘；独立的存储服务器填它的完整地址，例如 https://storage.example.com。留空则网盘停用。"
      >
        <Input placeholder="/disk" inputMode="url" spellCheck={false} />
      </Form.Item>
      <Form.Item
        name="baseUrl"
        label="平台地址"
        rules={[webAddress]}
        extra="用户在浏览器里打开的地址，用来生成链接"
      >
        <Input placeholder="https://lab.example.com" inputMode="url" spellCheck={false} />
      </Form.Item>
      <Form.Item
        name="internalBaseUrl"
        label="内网地址"
        rules={[webAddress]}
        extra="实例和服务器访问平台用的地址"
      >
        <Input placeholder="http://10.0.0.1:8080" inputMode="url" spellCheck={false} />
      </Form.Item>
      <Form.Item name="publicImageUrl" label="公开镜像库" rules={[webAddress]} extra="公开镜像仓库的地址">
        <Input placeholder="https://registry.example.com" inputMode="url" spellCheck={false} />
      </Form.Item>
    </Panel>
  );
}

export function DefaultFields() {
  return (
    <Panel title="新用户的默认配额" padded>
      <QuotaFields at={["defaultQuotas"]} />
    </Panel>
  );
}

export function InstanceFields() {
  return (
    <Panel title="实例" padded>
      <Form.Item
        name="idleMinutes"
        label="空闲提醒"
        rules={required}
        extra="实例的卡、CPU 和网络连续这么久几乎没有使用时提醒；0 表示不提醒"
      >
        <UnitInput min={0} max={43_200} precision={0} unit="分钟" />
      </Form.Item>
      <Form.Item
        name="idleStopMinutes"
        label="空闲停止"
        rules={required}
        extra="提醒之后仍然没有使用，再过这么久自动停止，容器和文件保留；0 表示不停止"
      >
        <UnitInput min={0} max={43_200} precision={0} unit="分钟" />
      </Form.Item>
      <Form.Item
        name="keepDays"
        label="停止后保留"
        rules={required}
        extra="停止的实例保留的天数；0 表示一直保留"
      >
        <UnitInput min={0} precision={0} unit="天" />
      </Form.Item>
      <Form.Item
        name="autoStart"
        label="服务器重启后自动启动实例"
        valuePropName="checked"
        extra="新实例的默认值，每个实例可以单独修改。只重新运行容器的启动命令，终端里运行的程序不会恢复；没有挂载网盘时不启动，一小时内最多两次"
      >
        <Switch />
      </Form.Item>
      <Form.Item label="端口范围" required extra="实例对外开放的端口从这个范围里取">
        <Flex gap={8} align="center">
          <Form.Item name={["portRange", "from"]} rules={required} noStyle>
            <InputNumber
              controls={false}
              aria-label="起始端口"
              min={1024}
              max={65_535}
              precision={0}
              style={{ flex: 1 }}
            />
          </Form.Item>
          <span>至</span>
          <Form.Item
            name={["portRange", "to"]}
            dependencies={[["portRange", "from"]]}
            rules={[
              ...required,
              ({ getFieldValue }) => ({
                validator: (_rule, to: number | null) =>
                  typeof to === "number" && to < getFieldValue(["portRange", "from"])
                    ? Promise.reject(new Error("结束端口不能小于起始端口"))
                    : Promise.resolve(),
              }),
            ]}
            noStyle
          >
            <InputNumber
              controls={false}
              aria-label="结束端口"
              min={1024}
              max={65_535}
              precision={0}
              style={{ flex: 1 }}
            />
          </Form.Item>
        </Flex>
      </Form.Item>
    </Panel>
  );
}
