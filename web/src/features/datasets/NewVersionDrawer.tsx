// Keeps the present content of a dataset as a version.
import { App, Form, Input } from "antd";
import { FormDrawer } from "@/shared/form/FormDrawer";
import { useCreateVersion } from "./api";

interface NewVersionDrawerProps {
  open: boolean;
  dataset: { id: string; name: string };
  onClose: () => void;
}

const empty = { note: "" };

export function NewVersionDrawer({ open, dataset, onClose }: NewVersionDrawerProps) {
  const { message } = App.useApp();
  const [form] = Form.useForm<typeof empty>();
  const create = useCreateVersion(dataset.id);
  return (
    <FormDrawer
      open={open}
      title={`为 ${dataset.name} 新建版本`}
      form={form}
      initialValues={empty}
      submitText="创建"
      error={create.error}
      submitting={create.isPending}
      onClose={onClose}
      onSubmit={(body) =>
        create.mutate(body, {
          onSuccess: ({ number }) => {
            message.success(`开始创建版本 v${number}`, 1.5);
            onClose();
          },
        })
      }
    >
      <Form.Item name="note" label="说明" extra="创建期间请不要改动文件夹里的文件">
        <Input.TextArea
          placeholder="选填，例如：补充了 200 张夜间图片"
          autoSize={{ minRows: 3, maxRows: 8 }}
          maxLength={500}
          autoFocus
        />
      </Form.Item>
    </FormDrawer>
  );
}
