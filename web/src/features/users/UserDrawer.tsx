// Creating and editing a user. The initial values (the user, or the defaults of new ones) are fetched when the form
// opens and then kept, so that a refetch does not change an open form.
import { useQuery } from "@tanstack/react-query";
import { App, Form } from "antd";
import { useState } from "react";
import type { ApiError } from "@/shared/api/problem";
import { publicSettingsQuery } from "@/shared/api/public-settings";
import { FormDrawer } from "@/shared/form/FormDrawer";
import { groupOptionsQuery } from "@/shared/list/group-options";
import { useSession } from "@/shared/stores/session";
import { ErrorPanel } from "@/shared/ui/ErrorPanel";
import { newUserQuery, useCreateUser, userQueryById, useUpdateUser } from "./api";
import { UserFields } from "./UserFields";
import {
  changedEnd,
  createData,
  endOf,
  newUserForm,
  type UserForm,
  updateData,
  userFormName,
  userFormOf,
} from "./user-form";

interface DrawerProps {
  open: boolean;
  onClose: () => void;
}

export function NewUserDrawer({ open, onClose }: DrawerProps) {
  const { message } = App.useApp();
  const defaults = useQuery({ ...newUserQuery, enabled: open });
  const create = useCreateUser();
  const [initial, setInitial] = useState<UserForm | null>(null);
  if (!initial && defaults.data) setInitial(newUserForm(defaults.data));
  return (
    <UserFormDrawer
      open={open}
      title="新建用户"
      submitText="创建"
      initial={initial}
      fetching={defaults}
      error={create.error}
      submitting={create.isPending}
      onClose={onClose}
      onSubmit={(form) =>
        create.mutate(
          { data: createData(form), end: endOf(form) },
          {
            onSuccess: (user) => {
              message.success(`已创建用户 ${user.username}`, 1.5);
              onClose();
            },
          },
        )
      }
    />
  );
}

export function EditUserDrawer({ open, id, onClose }: DrawerProps & { id: number }) {
  const { message } = App.useApp();
  const person = useQuery({ ...userQueryById(id), enabled: open });
  const update = useUpdateUser();
  const [initial, setInitial] = useState<UserForm | null>(null);
  // Waits for a fresh answer: the cache may be older than this opening.
  if (!initial && person.data && !person.isFetching) setInitial(userFormOf(person.data));

  function save(form: UserForm) {
    const after = initial && { ...initial, ...form };
    const data = after ? updateData(initial, after) : {};
    const end = after ? changedEnd(initial, after) : undefined;
    if (Object.keys(data).length === 0 && end === undefined) {
      onClose();
      return;
    }
    update.mutate(
      { id, data, ...(end !== undefined && { end }) },
      {
        onSuccess: () => {
          message.success("已保存", 1.5);
          onClose();
        },
      },
    );
  }

  return (
    <UserFormDrawer
      open={open}
      title={person.data ? `编辑用户 ${person.data.username}` : "编辑用户"}
      submitText="保存"
      id={id}
      initial={initial}
      fetching={person}
      error={update.error}
      submitting={update.isPending}
      onClose={onClose}
      onSubmit={save}
    />
  );
}

interface UserFormDrawerProps extends DrawerProps {
  title: string;
  submitText: string;
  /** The user's id; none when creating. */
  id?: number;
  initial: UserForm | null;
  fetching: { error: ApiError | null; refetch: () => Promise<unknown> };
  error: ApiError | null;
  submitting: boolean;
  onSubmit: (form: UserForm) => void;
}

function UserFormDrawer({ id, initial, fetching, ...drawer }: UserFormDrawerProps) {
  const [form] = Form.useForm<UserForm>();
  const me = useSession((session) => session.id);
  const groups = useQuery({ ...groupOptionsQuery, enabled: drawer.open });
  const settings = useQuery(publicSettingsQuery);
  const missing = fetching.error && (
    <ErrorPanel title="资料没有取到" error={fetching.error} onRetry={() => void fetching.refetch()} />
  );
  return (
    <FormDrawer<UserForm>
      {...drawer}
      form={form}
      initialValues={initial}
      missing={missing}
      formName={userFormName}
    >
      <UserFields
        creating={id === undefined}
        self={id === me}
        underscoreAllowed={settings.data?.usernameAllowsUnderscore ?? false}
        groups={groups.data ?? []}
        groupsLoading={groups.isFetching}
      />
    </FormDrawer>
  );
}
