// Has a server fetch an image, so that the next instance of it there begins at once.
import { useQuery } from "@tanstack/react-query";
import { App, Form, Input, Select } from "antd";
import { FormDrawer } from "@/shared/form/FormDrawer";
import { serverOptionsQuery, usePull } from "./api";

interface PullForm {
  image: string;
  server: string | undefined;
}

interface PullDrawerProps {
  open: boolean;
  /** The initial value of the field. */
  image: string;
  onClose: () => void;
}

export function PullDrawer({ open, image, onClose }: PullDrawerProps) {
  const { message } = App.useApp();
  const [form] = Form.useForm<PullForm>();
  const servers = useQuery({ ...serverOptionsQuery, enabled: open });
  const pull = usePull();
  return (
    <FormDrawer<PullForm>
      open={open}
      title="拉取镜像"
      form={form}
      initialValues={{ image, server: undefined }}
      submitText="拉取"
      error={pull.error}
      submitting={pull.isPending}
      onClose={onClose}
      onSubmit={({ image: name, server = "" }) =>
        pull.mutate(
          { image: name.trim(), server },
          {
            onSuccess: () => {
              message.success("开始拉取，进度在“任务”里", 1.5);
              onClose();
            },
          },
        )
      }
    >
      <Form.Item
        name="image"
        label="镜像"
        rules={[{ required: true, whitespace: true, message: "请填写镜像名称" }]}
        extra="名称和标签，例如 registry.lab.cn/pytorch:2.4"
      >
        <Input autoComplete="off" spellCheck={false} maxLength={512} autoFocus={image === ""} />
      </Form.Item>
      <Form.Item name="server" label="服务器" rules={[{ required: true, message: "请选择服务器" }]}>
        <Select
          placeholder="拉取到哪台服务器"
          options={servers.data ?? []}
          loading={servers.isFetching}
          showSearch={{ optionFilterProp: "label" }}
          notFoundContent={servers.error?.message ?? "没有可用的服务器"}
        />
      </Form.Item>
    </FormDrawer>
  );
}
