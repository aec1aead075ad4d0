// 监测设置: the signs that are looked for, the action, and the exceptions.
import { useQuery } from "@tanstack/react-query";
import { App, Form, Input, Radio, Switch } from "antd";
import { settingsQuery, useSaveSettings } from "@/shared/api/settings";
import { FormDrawer } from "@/shared/form/FormDrawer";
import { FormGroup } from "@/shared/form/FormGroup";
import { ErrorPanel } from "@/shared/ui/ErrorPanel";
import { arePorts, type WatchForm, watchFormName, watchFormOf, watchOf } from "./watch-form";

interface WatchDrawerProps {
  open: boolean;
  onClose: () => void;
}

const actions = [
  { value: "record", label: "只记录" },
  { value: "pause", label: "记录并暂停实例" },
];

const ports = [
  {
    validator: async (_rule: unknown, lines: string) => {
      if (!arePorts(lines)) throw new Error("每行一个 1 到 65535 的端口");
    },
  },
];

export function WatchDrawer({ open, onClose }: WatchDrawerProps) {
  const { message } = App.useApp();
  const [form] = Form.useForm<WatchForm>();
  const settings = useQuery({ ...settingsQuery, enabled: open });
  const save = useSaveSettings();
  const { data, error } = settings;

  const submit = (values: WatchForm) =>
    save.mutate(
      { watch: watchOf(values) },
      {
        onSuccess: () => {
          message.success("监测设置已保存", 1.5);
          onClose();
        },
      },
    );

  return (
    <FormDrawer<WatchForm>
      title="监测设置"
      open={open}
      form={form}
      width={560}
      initialValues={data ? watchFormOf(data.watch) : null}
      missing={
        error && <ErrorPanel title="设置没有取到" error={error} onRetry={() => void settings.refetch()} />
      }
      submitText="保存"
      error={save.error}
      submitting={save.isPending}
      formName={watchFormName}
      onSubmit={submit}
      onClose={onClose}
    >
      <FormGroup title="监测">
        <Form.Item
          name="enabled"
          label="监测实例"
          valuePropName="checked"
          extra="每 20 秒查看运行中实例的程序和网络连接，每分钟查看显卡的规律"
        >
          <Switch />
        </Form.Item>
        <Form.Item
          name="action"
          label="发现后"
          extra="只有程序名和命令行会触发暂停，而且要连续两次发现；端口和显卡规律只记录"
        >
          <Radio.Group options={actions} />
        </Form.Item>
      </FormGroup>
      <FormGroup title="补充特征（每行一个，已内置常见的）">
        <Form.Item name="names" label="程序名">
          <Input.TextArea autoSize={{ minRows: 2, maxRows: 6 }} spellCheck={false} />
        </Form.Item>
        <Form.Item name="strings" label="命令行">
          <Input.TextArea autoSize={{ minRows: 2, maxRows: 6 }} spellCheck={false} />
        </Form.Item>
        <Form.Item name="ports" label="矿池端口" rules={ports}>
          <Input.TextArea autoSize={{ minRows: 2, maxRows: 6 }} spellCheck={false} />
        </Form.Item>
      </FormGroup>
      <FormGroup title="不监测（每行一个）">
        <Form.Item name="allowedUsers" label="用户名">
          <Input.TextArea autoSize={{ minRows: 2, maxRows: 6 }} spellCheck={false} />
        </Form.Item>
        <Form.Item name="allowedImages" label="镜像" extra="不写标签则包括所有标签">
          <Input.TextArea autoSize={{ minRows: 2, maxRows: 6 }} spellCheck={false} />
        </Form.Item>
      </FormGroup>
    </FormDrawer>
  );
}
