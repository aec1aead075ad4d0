// 安全设置: where people and pages may go beyond the lab.
import { Form, Input, Switch } from "antd";
import { UnitInput } from "@/shared/form/UnitInput";
import { PageIndex } from "@/shared/ui/PageIndex";
import { Panel } from "@/shared/ui/Panel";
import { SettingsFrame } from "./SettingsFrame";
import { securityFormName, securityFormOf, securityOf } from "./security-form";

const lines = { minRows: 2, maxRows: 8 };

export default function SecuritySettingsPage() {
  return (
    <PageIndex>
      <SettingsFrame
        name="security"
        title="安全设置"
        meta="镜像仓库、外部地址和浏览器的限制"
        toForm={(settings) => securityFormOf(settings.security)}
        toUpdate={(form) => ({ security: securityOf(form) })}
        formName={securityFormName}
      >
        {() => (
          <>
            <Panel title="外部访问" padded>
              <Form.Item
                name="allowedRegistries"
                label="允许的镜像仓库"
                extra="每行一个，例如 docker.io 或 registry.lab:5000；留空则不限制。管理员不受限制，“镜像仓库”里登记的总是可以用"
              >
                <Input.TextArea autoSize={lines} spellCheck={false} placeholder="不限制" />
              </Form.Item>
              <Form.Item
                name="allowLinkLocal"
                label="允许链路本地地址"
                valuePropName="checked"
                extra="镜像仓库、目录、邮件、webhook、syslog 和 ACME 服务器的地址可以是 169.254.0.0/16、fe80::/10 和 0.0.0.0。云主机的密钥常在那里，一般不要打开"
              >
                <Switch />
              </Form.Item>
            </Panel>
            <Panel title="浏览器" padded>
              <Form.Item
                name="linkHosts"
                label="其他存储服务器"
                extra="网页可以读取哪些存储服务器的文件，每行一个地址。“基本设置”里的存储服务器不用填；分享链接自己指明的服务器，打开链接时会先问"
              >
                <Input.TextArea autoSize={lines} spellCheck={false} placeholder="https://disk.example.com" />
              </Form.Item>
              <Form.Item
                name="hstsDays"
                label="强制 HTTPS"
                rules={[{ required: true, message: "请填写" }]}
                extra="浏览器在这些天里只用 HTTPS 访问，0 表示不要求。先设 1 天试试。有服务器用同一个主机名对外提供实例端口时不生效，因为那些端口是 HTTP；用实验室自己的 CA 时也不生效，因为安装 CA 的页面是 HTTP"
              >
                <UnitInput min={0} max={730} precision={0} unit="天" />
              </Form.Item>
            </Panel>
          </>
        )}
      </SettingsFrame>
    </PageIndex>
  );
}
