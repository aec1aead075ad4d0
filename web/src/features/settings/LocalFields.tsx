// The rules of accounts that are kept here.
import { Form, Switch } from "antd";
import { UnitInput } from "@/shared/form/UnitInput";
import { Panel } from "@/shared/ui/Panel";

export function LocalFields() {
  return (
    <Panel title="本地账号" padded>
      <Form.Item
        name={["local", "allowUnderscore"]}
        label="用户名允许下划线"
        valuePropName="checked"
        extra="用户名是 2–20 位字母、数字、“.” 和 “@”，打开后也可以有 “_”"
      >
        <Switch />
      </Form.Item>
      <Form.Item
        name={["local", "allowCommonPasswords"]}
        label="允许常见密码"
        valuePropName="checked"
        extra="默认不能用最常见的一万多个密码，也不能包含用户名。已有的密码不受影响"
      >
        <Switch />
      </Form.Item>
      <Form.Item
        name={["local", "changeAfterReset"]}
        label="初始与重置的密码须改"
        valuePropName="checked"
        extra="管理员重置密码后，本人下次登录时必须换成自己的密码；新建用户的页面默认也这样要求，可以按人取消"
      >
        <Switch />
      </Form.Item>
      <Form.Item
        name={["local", "sessionHours"]}
        label="登录有效期"
        rules={[{ required: true, message: "请填写" }]}
        extra="1–720 小时，之后登录的人按新值计算"
      >
        <UnitInput min={1} max={720} precision={0} unit="小时" />
      </Form.Item>
      <Form.Item
        name={["local", "signInDays"]}
        label="最长登录时间"
        rules={[{ required: true, message: "请填写" }]}
        extra="1–365 天。登录会自动续期，但输入密码这么久之后必须重新登录，目录用户也一样"
      >
        <UnitInput min={1} max={365} precision={0} unit="天" />
      </Form.Item>
      <Form.Item
        name={["local", "idleMinutes"]}
        label="空闲退出"
        rules={[{ required: true, message: "请填写" }]}
        extra="这么久没有操作就退出登录，至少 5 分钟；0 表示不因空闲退出，目录用户也一样"
      >
        <UnitInput min={0} max={43_200} precision={0} unit="分钟" />
      </Form.Item>
    </Panel>
  );
}
