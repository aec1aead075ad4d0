// Creating and editing a group.
import { useQuery } from "@tanstack/react-query";
import { App, Form, Input } from "antd";
import { useState } from "react";
import { FormDrawer } from "@/shared/form/FormDrawer";
import { FormGroup } from "@/shared/form/FormGroup";
import { LimitInput } from "@/shared/form/LimitInput";
import type { PublicUser } from "@/shared/list/people";
import { LimitFields } from "@/shared/quotas/QuotaFields";
import { quotaFormName } from "@/shared/quotas/quotas";
import { ErrorPanel } from "@/shared/ui/ErrorPanel";
import { groupQuery, useCreateGroup, useUpdateGroup } from "./api";
import { type GroupForm, groupFormOf, groupPayload, newGroup } from "./group-form";
import { PeoplePicker } from "./PeoplePicker";

interface DrawerProps {
  open: boolean;
  onClose: () => void;
}

export function NewGroupDrawer({ open, onClose }: DrawerProps) {
  const { message } = App.useApp();
  const [form] = Form.useForm<GroupForm>();
  const create = useCreateGroup();
  return (
    <FormDrawer<GroupForm>
      open={open}
      title="新建用户组"
      form={form}
      initialValues={newGroup}
      submitText="创建"
      formName={quotaFormName}
      error={create.error}
      submitting={create.isPending}
      onClose={onClose}
      onSubmit={(values) =>
        create.mutate(groupPayload(values, true), {
          onSuccess: (group) => {
            message.success(`已创建用户组 ${group.name}`, 1.5);
            onClose();
          },
        })
      }
    >
      <GroupFields creating leaders={[]} />
    </FormDrawer>
  );
}

export function EditGroupDrawer({ open, id, onClose }: DrawerProps & { id: number }) {
  const { message } = App.useApp();
  const [form] = Form.useForm<GroupForm>();
  const group = useQuery({ ...groupQuery(id), enabled: open });
  const update = useUpdateGroup();
  const [initial, setInitial] = useState<GroupForm | null>(null);
  // Waits for a fresh response, not the cache of an earlier opening.
  if (!initial && group.data && !group.isFetching) setInitial(groupFormOf(group.data));
  return (
    <FormDrawer<GroupForm>
      open={open}
      title={group.data ? `编辑用户组 ${group.data.name}` : "编辑用户组"}
      form={form}
      initialValues={initial}
      missing={
        group.error && (
          <ErrorPanel title="资料没有取到" error={group.error} onRetry={() => void group.refetch()} />
        )
      }
      submitText="保存"
      formName={quotaFormName}
      error={update.error}
      submitting={update.isPending}
      onClose={onClose}
      onSubmit={(values) =>
        update.mutate(
          { id, body: groupPayload(values, false) },
          {
            onSuccess: () => {
              message.success("已保存", 1.5);
              onClose();
            },
          },
        )
      }
    >
      <GroupFields creating={false} leaders={group.data?.leaders ?? []} />
    </FormDrawer>
  );
}

const filled = [{ required: true, message: "请填写" }];

function GroupFields({ creating, leaders }: { creating: boolean; leaders: readonly PublicUser[] }) {
  return (
    <>
      <FormGroup title="用户组">
        <Form.Item
          name="name"
          label="名称"
          rules={[{ required: true, whitespace: true, message: "请填写名称" }]}
          extra={creating ? "共享文件夹也用这个名称，已经有过同名文件夹时加上序号" : "改名不影响共享文件夹"}
        >
          <Input autoComplete="off" autoFocus={creating} maxLength={64} />
        </Form.Item>
        <Form.Item name="description" label="说明">
          <Input.TextArea placeholder="选填" autoSize={{ minRows: 2, maxRows: 5 }} maxLength={500} />
        </Form.Item>
        <Form.Item name="leaders" label="组长" extra="组长可以添加和移出成员">
          <PeoplePicker known={leaders} />
        </Form.Item>
        {creating && (
          <Form.Item name="members" label="成员" extra="之后可在“组成员”里增减">
            <PeoplePicker />
          </Form.Item>
        )}
      </FormGroup>
      <FormGroup title="全组合计的配额">
        <Form.Item name="instanceLimit" label="实例" required={false} rules={filled}>
          <LimitInput zero="unlimited" precision={0} unit="个" />
        </Form.Item>
        <Form.Item name="GPUNumlimit" label="显卡" required={false} rules={filled}>
          <LimitInput zero="unlimited" precision={0} unit="张" />
        </Form.Item>
        <LimitFields />
      </FormGroup>
    </>
  );
}
