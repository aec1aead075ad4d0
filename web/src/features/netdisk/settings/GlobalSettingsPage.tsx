// Settings of the whole disk, for its administrators.
import { useQuery } from "@tanstack/react-query";
import { App, Form, Input, InputNumber, Segmented, Switch } from "antd";
import { useId, useState } from "react";
import { FormPage } from "@/shared/form/FormPage";
import { LimitInput } from "@/shared/form/LimitInput";
import { useUnsavedGuard } from "@/shared/lib/use-unsaved-guard";
import { TableSkeleton } from "@/shared/table/TableSkeleton";
import { ErrorPanel } from "@/shared/ui/ErrorPanel";
import { Panel } from "@/shared/ui/Panel";
import { type DiskSettings, diskSettingsQuery, useSaveDiskSettings } from "./api";
import { DiskSettingsFrame } from "./DiskSettingsFrame";
import { type GlobalForm, globalForm, globalSettings } from "./global-form";
import { brandThemeOptions } from "./options";
import { ProfileFields } from "./ProfileFields";
import { RulesField } from "./RulesField";

export default function GlobalSettingsPage() {
  return <DiskSettingsFrame>{(host) => <Global host={host} />}</DiskSettingsFrame>;
}

function Global({ host }: { host: string }) {
  const { data, error, refetch } = useQuery(diskSettingsQuery(host));
  if (data) return <GlobalFormView host={host} fetched={data} />;
  return (
    <Panel>
      {error ? (
        <ErrorPanel title="全局设置没有取到" error={error} onRetry={() => void refetch()} />
      ) : (
        <TableSkeleton rows={8} rowHeight={44} />
      )}
    </Panel>
  );
}

const switches = [
  ["exec", "命令行", "允许有“执行命令”权限的用户在网盘中运行指定程序"],
  ["thumbnails", "生成缩略图", "图片在平铺显示时有小图"],
  ["resizePreview", "缩小预览图", "看图时先显示缩小的图；关闭后总是打开原图"],
  ["shareReadOnly", "公共共享只读", "普通用户只能查看和下载公共共享里的文件"],
  [
    "filebrowserPages",
    "File Browser 网页",
    "允许 File Browser 2.44 及以后的网页。有风险：这些网页用名为 auth 的 Cookie 取文件，浏览器会把它发给本机的所有端口，别人实例里的网页也能收到，并用它读取此人的文件。只对仅含“文件”权限的访问令牌有效",
  ],
  ["createUserDir", "自动建个人文件夹", "首次访问时建好个人文件夹"],
] as const;

const limits = [
  { name: "datasetLimit", label: "每人数据集数", extra: "管理员自己也在内；已经超出的不受影响", max: 10_000 },
  { name: "versionLimit", label: "每个数据集的版本数", extra: "已经超出的不受影响", max: 1000 },
  { name: "shareLimit", label: "每人分享链接数", extra: "没有过期的链接；已经超出的不受影响", max: 10_000 },
] as const;

function GlobalFormView({ host, fetched }: { host: string; fetched: DiskSettings }) {
  const { message } = App.useApp();
  const [form] = Form.useForm<GlobalForm>();
  const signup = useId();
  const [dirty, setDirty] = useState(false);
  // A refetch must not change a form that is being filled in.
  const [stored, setStored] = useState(fetched);
  const save = useSaveDiskSettings(host);
  useUnsavedGuard(dirty, "离开这个页面后，没有保存的设置不会保留。");

  return (
    <FormPage<GlobalForm>
      name="netdisk-global"
      form={form}
      initialValues={globalForm(stored)}
      dirty={dirty}
      onDirty={setDirty}
      error={save.error}
      submitting={save.isPending}
      onSubmit={() => {
        // All values, including those of fields that are not shown.
        const settings = globalSettings(form.getFieldsValue(true), stored);
        save.mutate(settings, {
          onSuccess: () => {
            setStored(settings);
            setDirty(false);
            message.success("已保存", 1.5);
          },
        });
      }}
    >
      <Panel title="常规" padded>
        {switches.map(([name, label, extra]) => (
          <Form.Item key={name} name={name} label={label} extra={extra} valuePropName="checked">
            <Switch />
          </Form.Item>
        ))}
        <Form.Item name="trashDays" label="回收站保留" extra="到期后自动清除">
          <InputNumber controls={false} min={0} max={3650} precision={0} suffix="天" style={{ width: 160 }} />
        </Form.Item>
        <Form.Item name="shareQuota" label="公共共享配额" extra="所有人放在公共共享里的文件合计">
          <LimitInput zero="unlimited" precision={0} unit="GB" />
        </Form.Item>
        <Form.Item
          name="datasetsQuota"
          label="数据集总配额"
          extra="所有人的数据集和版本合计。每个人的数据集另外计入本人的网盘配额"
        >
          <LimitInput zero="unlimited" precision={0} unit="GB" />
        </Form.Item>
        {limits.map(({ name, label, extra, max }) => (
          <Form.Item
            key={name}
            name={name}
            label={label}
            extra={extra}
            rules={[{ required: true, message: `请填写 1 到 ${max} 之间的数` }]}
          >
            <InputNumber
              controls={false}
              min={1}
              max={max}
              precision={0}
              suffix="个"
              style={{ width: 160 }}
            />
          </Form.Item>
        ))}
        <Form.Item
          name="readPercent"
          label="记录读取的比例"
          extra="操作日志总会记录删除、分享和管理员读取他人的文件；这里是其他读取按多大比例抽样记录，0 为不记录"
          rules={[{ required: true, message: "请填写 0 到 100 之间的数" }]}
        >
          <InputNumber controls={false} min={0} max={100} precision={0} suffix="%" style={{ width: 160 }} />
        </Form.Item>
        <Form.Item name="brandName" label="网盘名称" extra="代替产品名显示在分享页上，可以不填">
          <Input maxLength={100} />
        </Form.Item>
        <Form.Item name="brandTheme" label="默认主题" extra="用于网盘的页面，对没有自己选过主题的人生效">
          <Segmented aria-label="默认主题" options={[...brandThemeOptions]} />
        </Form.Item>
        <RulesField extra="对所有人生效；后面的规则优先" />
      </Panel>
      <Panel title="登录" padded>
        <Form.Item label="认证方式">平台账号和密码（json）</Form.Item>
        <Form.Item label="登录页">始终开启</Form.Item>
        <Form.Item label="开放注册" htmlFor={signup} extra="账号由平台的管理员建立，网盘不能另外注册">
          <Switch id={signup} checked={stored.signup} disabled />
        </Form.Item>
      </Panel>
      <Panel title="新用户的默认值" padded>
        <ProfileFields at="defaults" newcomers />
      </Panel>
    </FormPage>
  );
}
