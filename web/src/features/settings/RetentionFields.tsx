// The retention of growing data, in days.
import { Form, Switch } from "antd";
import { UnitInput } from "@/shared/form/UnitInput";
import { Panel } from "@/shared/ui/Panel";

const days = [
  {
    name: "logDays",
    label: "登录和操作日志",
    extra: "0 表示一直保留，下面各项相同。网络安全法要求日志至少保留六个月",
  },
  { name: "archiveDays", label: "日志归档文件", extra: "数据目录里的归档文件保留多久" },
  { name: "sampleDays", label: "监测数据", extra: "显卡和实例每分钟一个的测量值，至少 1 天", least: 1 },
  { name: "usageDays", label: "用量和租用记录", extra: "用量报表能查多久以前" },
  { name: "instanceDays", label: "已释放的实例", extra: "实例释放后，它的记录保留多久" },
  { name: "jobDays", label: "已结束的任务", extra: "镜像的拉取、构建、保存等任务" },
  { name: "worksheetDays", label: "已处理的工单", extra: "已完成或关闭的工单，从最后一次变动算起" },
  { name: "findingDays", label: "异常行为记录", extra: "从最后一次发现算起" },
  { name: "alertDays", label: "告警记录", extra: "从恢复算起" },
  { name: "noticeDays", label: "站内通知" },
  { name: "deliveryDays", label: "未送达的通知", extra: "放弃发送的邮件和群通知" },
] as const;

export function RetentionFields() {
  return (
    <Panel title="保留时间" padded>
      {days.map(({ name, label, ...more }) => (
        <Form.Item
          key={name}
          name={["retention", name]}
          label={label}
          rules={[{ required: true, message: "请填写" }]}
          extra={"extra" in more ? more.extra : undefined}
        >
          <UnitInput min={"least" in more ? more.least : 0} max={36_500} precision={0} unit="天" />
        </Form.Item>
      ))}
      <Form.Item
        name={["retention", "archiveLogs"]}
        label="清理前归档"
        valuePropName="checked"
        extra="到期的登录和操作日志先写入数据目录的压缩文件，再从数据库删除"
      >
        <Switch />
      </Form.Item>
    </Panel>
  );
}
