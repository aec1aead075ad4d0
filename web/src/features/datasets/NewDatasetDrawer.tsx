// 新建数据集: an empty folder to upload into, or one that is on the network disk already.
import { App, Button, Form, Input, Select, Space } from "antd";
import { FormDrawer } from "@/shared/form/FormDrawer";
import { FormGroup } from "@/shared/form/FormGroup";
import { chooseFolder } from "@/shared/stores/folder-choice";
import { isAdmin, useSession } from "@/shared/stores/session";
import { type Dataset, useCreateDataset } from "./api";
import { DatasetFields } from "./DatasetFields";
import { type NewFields, newDataset, newPayload, type Origin } from "./dataset-form";

interface NewDatasetDrawerProps {
  open: boolean;
  onClose: () => void;
  onCreated: (dataset: Dataset) => void;
}

export function NewDatasetDrawer({ open, onClose, onCreated }: NewDatasetDrawerProps) {
  const { message } = App.useApp();
  const [form] = Form.useForm<NewFields>();
  const create = useCreateDataset();
  return (
    <FormDrawer<NewFields>
      open={open}
      title="新建数据集"
      form={form}
      initialValues={newDataset}
      submitText="创建"
      error={create.error}
      submitting={create.isPending}
      formName={(name) => (name === "origin" || name === "adopt" ? "folder" : name)}
      onClose={onClose}
      onSubmit={(fields) =>
        create.mutate(newPayload(fields), {
          onSuccess: (dataset) => {
            message.success("已创建，正在准备文件夹", 1.5);
            onCreated(dataset);
          },
        })
      }
    >
      <FormGroup title="文件夹">
        <Form.Item
          name="name"
          label="名称"
          rules={[{ required: true, whitespace: true, message: "请填写名称" }]}
          extra="也是 /datasets 下的文件夹名，创建后不能修改"
        >
          <Input autoComplete="off" spellCheck={false} autoFocus maxLength={60} />
        </Form.Item>
        <OriginFields />
      </FormGroup>
      <DatasetFields />
    </FormDrawer>
  );
}

const origins: { value: Origin; label: string; note: string; admin?: boolean }[] = [
  { value: "empty", label: "空文件夹，稍后上传", note: "创建后在网盘的 /datasets 下上传文件" },
  { value: "copy", label: "复制网盘文件夹", note: "原文件夹不变，复制的内容另占空间" },
  { value: "move", label: "移动网盘文件夹", note: "原文件夹会移走，只能由所有者和管理员更改" },
  { value: "adopt", label: "登记已有文件夹", note: "/datasets 下已有的同名文件夹成为数据集", admin: true },
];

function OriginFields() {
  const form = Form.useFormInstance<NewFields>();
  const admin = useSession(isAdmin);
  const origin = Form.useWatch("origin", form);
  const note = origins.find(({ value }) => value === origin)?.note;

  async function pick() {
    const folder = await chooseFolder("选择数据集文件夹");
    if (folder === null) return;
    form.setFieldValue("folder", folder);
    if (!form.getFieldValue("name"))
      form.setFieldValue("name", folder.split("/").filter(Boolean).at(-1) ?? "");
    void form.validateFields(["folder"]);
  }

  return (
    <>
      <Form.Item name="origin" label="内容" extra={note}>
        <Select options={origins.filter((one) => admin || !one.admin)} />
      </Form.Item>
      {(origin === "copy" || origin === "move") && (
        <Form.Item label="来源文件夹" required>
          <Space.Compact block>
            <Form.Item name="folder" noStyle rules={[{ required: true, message: "请选择文件夹" }]}>
              <Input placeholder="/home/…" aria-label="来源文件夹" autoComplete="off" spellCheck={false} />
            </Form.Item>
            <Button onClick={() => void pick()}>选择</Button>
          </Space.Compact>
        </Form.Item>
      )}
    </>
  );
}
