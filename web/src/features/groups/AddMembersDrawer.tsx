// Adding people to a group.
import { App, Form } from "antd";
import { FormDrawer } from "@/shared/form/FormDrawer";
import { useAddMembers } from "./api";
import { PeoplePicker } from "./PeoplePicker";

interface AddForm {
  users: number[];
}

interface AddMembersDrawerProps {
  open: boolean;
  group: number;
  name: string;
  onClose: () => void;
}

const nobody: AddForm = { users: [] };

export function AddMembersDrawer({ open, group, name, onClose }: AddMembersDrawerProps) {
  const { message } = App.useApp();
  const [form] = Form.useForm<AddForm>();
  const add = useAddMembers();
  return (
    <FormDrawer<AddForm>
      open={open}
      title={`添加成员到 ${name}`}
      form={form}
      initialValues={nobody}
      submitText="添加"
      error={add.error}
      submitting={add.isPending}
      onClose={onClose}
      onSubmit={({ users }) =>
        add.mutate(
          { group, users },
          {
            onSuccess: ({ changed }) => {
              message.success(changed > 0 ? `已添加 ${changed} 人` : "所选的人都已经在组里", 1.5);
              onClose();
            },
          },
        )
      }
    >
      <Form.Item
        name="users"
        label="人员"
        rules={[{ required: true, type: "array", min: 1, message: "请选择要添加的人" }]}
        extra="已经在组里的人不会重复添加"
      >
        <PeoplePicker autoFocus />
      </Form.Item>
    </FormDrawer>
  );
}
