// Adds and edits a server. An edit sends only the changes, and certificates only when new ones are given.
import { App, Form } from "antd";
import { useState } from "react";
import type { ServerView } from "@/shared/compute/api";
import { FormDrawer } from "@/shared/form/FormDrawer";
import { useAddServer, useChangeServer } from "./api";
import { ServerFields } from "./ServerFields";
import {
  blankServer,
  changeOf,
  newServer,
  type ServerFormValues,
  serverFormName,
  valuesOf,
} from "./server-form";

interface DrawerProps {
  open: boolean;
  onClose: () => void;
}

export function NewServerDrawer({ open, onClose, onAdded }: DrawerProps & { onAdded: (id: string) => void }) {
  const { message } = App.useApp();
  const [form] = Form.useForm<ServerFormValues>();
  const add = useAddServer();
  return (
    <FormDrawer<ServerFormValues>
      title="添加服务器"
      open={open}
      form={form}
      initialValues={blankServer}
      submitText="添加"
      error={add.error}
      submitting={add.isPending}
      formName={serverFormName}
      width={560}
      onClose={onClose}
      onSubmit={(values) =>
        add.mutate(newServer(values), {
          onSuccess: ({ id, name }) => {
            message.success(`已添加服务器 ${name}`, 1.5);
            // Its check comes next.
            onAdded(id);
          },
        })
      }
    >
      <ServerFields />
    </FormDrawer>
  );
}

export function EditServerDrawer({
  open,
  server,
  onClose,
}: DrawerProps & { server: ServerView | undefined }) {
  const { message } = App.useApp();
  const [form] = Form.useForm<ServerFormValues>();
  const change = useChangeServer();
  // The state when the drawer was opened: a refetch must not change the form.
  const [initial, setInitial] = useState<ServerFormValues | null>(null);
  if (!initial && server?.manage) setInitial(valuesOf(server, server.manage));

  function save(values: ServerFormValues) {
    if (!server || !initial) return;
    const part = changeOf(initial, { ...initial, ...values });
    if (Object.keys(part).length === 0) {
      onClose();
      return;
    }
    change.mutate(
      { id: server.id, change: part },
      {
        onSuccess: () => {
          message.success("已保存", 1.5);
          onClose();
        },
      },
    );
  }

  return (
    <FormDrawer<ServerFormValues>
      title={server ? `编辑服务器 ${server.name}` : "编辑服务器"}
      open={open}
      form={form}
      initialValues={initial}
      submitText="保存"
      error={change.error}
      submitting={change.isPending}
      formName={serverFormName}
      width={560}
      onClose={onClose}
      onSubmit={save}
    >
      <ServerFields keepsTls={server?.manage?.tls ?? false} local={server?.local ?? false} />
    </FormDrawer>
  );
}
