// The fields that saving, building and editing an image have in common.
import { Form, Input, Select } from "antd";
import { type Visibility, visibilityLooks, visibilityOptions } from "./visibility";

export interface AboutForm {
  visibility: Visibility;
  description: string;
}

export function AboutFields() {
  const form = Form.useFormInstance<AboutForm>();
  const visibility = Form.useWatch("visibility", form);
  return (
    <>
      <Form.Item name="visibility" label="可见范围" extra={visibility && visibilityLooks[visibility].note}>
        <Select options={visibilityOptions} />
      </Form.Item>
      <Form.Item name="description" label="说明">
        <Input.TextArea
          placeholder="选填，例如装了哪些软件"
          autoSize={{ minRows: 2, maxRows: 5 }}
          maxLength={500}
        />
      </Form.Item>
    </>
  );
}
