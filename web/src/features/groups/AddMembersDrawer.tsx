// Adding people to a group: at once for administrators, by an invitation for leaders.
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
  /** Leaders invite, and the person accepts. */
  invites: boolean;
  onClose: () => void;
}

function outcome({ changed, invited }: { changed: number; invited: number }): string {
  if (invited > 0) return `已邀请 ${invited} 人，等待对方接受`;
  return changed > 0 ? `已添加 ${changed} 人` : "所选的人都已经在组里或已被邀请";
}

const nobody: AddForm = { users: [] };

export function AddMembersDrawer({ open, group, name, invites, onClose }: AddMembersDrawerProps) {
  const { message } = App.useApp();
  const [form] = Form.useForm<AddForm>();
  const add = useAddMembers();
  return (
    <FormDrawer<AddForm>
      open={open}
      title={invites ? `邀请成员加入 ${name}` : `添加成员到 ${name}`}
      form={form}
      initialValues={nobody}
      submitText={invites ? "邀请" : "添加"}
      error={add.error}
      submitting={add.isPending}
      onClose={onClose}
      onSubmit={({ users }) =>
        add.mutate(
          { group, users },
          {
            onSuccess: (added) => {
              message.success(outcome(added), 1.5);
              onClose();
            },
          },
        )
      }
    >
      <Form.Item
        name="users"
        label="人员"
        rules={[
          { required: true, type: "array", min: 1, message: `请选择要${invites ? "邀请" : "添加"}的人` },
        ]}
        extra={
          invites
            ? "对方接受后才加入，30 天内有效"
            : "立即加入，不需要对方同意。所选的人以后不能自行退出，包括已经在组里的"
        }
      >
        <PeoplePicker autoFocus />
      </Form.Item>
    </FormDrawer>
  );
}
