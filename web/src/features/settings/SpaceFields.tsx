// The consequences of a full quota of the network disk or a full root of an instance.
import { Form, Switch } from "antd";
import { LimitInput } from "@/shared/form/LimitInput";
import { UnitInput } from "@/shared/form/UnitInput";
import { Panel } from "@/shared/ui/Panel";

const required = [{ required: true, message: "请填写" }];

export function SpaceFields() {
  return (
    <Panel title="空间配额" padded>
      <Form.Item
        name={["space", "count"]}
        label="统计用量"
        valuePropName="checked"
        extra="在后台统计个人和组的网盘用量、实例的系统盘用量，最多占用一个核的 5%。关闭后不再提醒和冻结，已冻结的自动继续，上传仍按配额限制"
      >
        <Switch />
      </Form.Item>
      <Form.Item
        name={["space", "freeze"]}
        label="冻结写满的实例"
        valuePropName="checked"
        extra="配额用完且过了宽限期后，仍在写入的实例会被冻结：程序停在原处，不会退出，清理空间后继续。关闭后只提醒，已冻结的自动继续"
      >
        <Switch />
      </Form.Item>
      <Form.Item
        name={["space", "graceMinutes"]}
        label="宽限期"
        rules={required}
        extra="从用完配额到冻结的时间；0 表示立即冻结"
      >
        <UnitInput min={0} max={10_080} precision={0} unit="分钟" />
      </Form.Item>
      <Form.Item
        name={["space", "projectQuotas"]}
        label="项目配额"
        valuePropName="checked"
        extra="网盘所在的文件系统（XFS 或 ext4）以 prjquota 挂载时，由内核直接限制每个人和每个组，实例里的 df 也显示配额。需要主机助手和 xfsprogs；开启的方法和实例能否绕开，见服务器的“检测”"
      >
        <Switch />
      </Form.Item>
      <Form.Item
        name={["space", "rootGb"]}
        label="系统盘上限"
        rules={required}
        extra="每个实例在镜像之外可以写入的大小，同样按宽限期冻结"
      >
        <LimitInput zero="unlimited" max={1_048_576} precision={2} unit="GB" />
      </Form.Item>
    </Panel>
  );
}
