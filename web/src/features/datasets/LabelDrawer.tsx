// Making and changing a label.
import { App, ColorPicker, Form, Input, Select } from "antd";
import { useState } from "react";
import { FormDrawer } from "@/shared/form/FormDrawer";
import { type Label, type LabelForm, useCreateLabel, useUpdateLabel } from "./api";
import { kindOptions } from "./words";

/** Apart from one another in both schemes. */
const colors = ["#166db6", "#2e8b57", "#c77700", "#c0392b", "#8e44ad", "#008b8b", "#b5477a", "#6b7280"];

interface LabelDrawerProps {
  open: boolean;
  /** Null for a new one. */
  label: Label | null;
  onClose: () => void;
}

export function LabelDrawer({ open, label, onClose }: LabelDrawerProps) {
  const { message } = App.useApp();
  const [form] = Form.useForm<LabelForm>();
  const create = useCreateLabel();
  const update = useUpdateLabel(label?.id ?? "");
  const change = label ? update : create;
  const [initial] = useState<LabelForm>(() => ({
    name: label?.name ?? "",
    kind: label?.kind ?? "task",
    color: label?.color ?? colors[0] ?? "",
  }));
  return (
    <FormDrawer<LabelForm>
      open={open}
      title={label ? `编辑标签 ${label.name}` : "新建标签"}
      form={form}
      initialValues={initial}
      submitText={label ? "保存" : "创建"}
      error={change.error}
      submitting={change.isPending}
      onClose={onClose}
      onSubmit={(body) =>
        change.mutate(body, {
          onSuccess: ({ name }) => {
            message.success(label ? "已保存" : `已创建标签 ${name}`, 1.5);
            onClose();
          },
        })
      }
    >
      <Form.Item
        name="name"
        label="名称"
        rules={[{ required: true, whitespace: true, message: "请填写名称" }]}
      >
        <Input autoComplete="off" autoFocus={!label} maxLength={20} />
      </Form.Item>
      <Form.Item name="kind" label="分类">
        <Select options={kindOptions} />
      </Form.Item>
      <Form.Item
        name="color"
        label="颜色"
        getValueFromEvent={(color: { toHexString: () => string }) => color.toHexString()}
      >
        <ColorPicker disabledAlpha showText presets={[{ label: "常用", colors }]} />
      </Form.Item>
    </FormDrawer>
  );
}
