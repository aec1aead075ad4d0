// One disk user: permissions and scope, for the disk's administrators.
import { useQuery } from "@tanstack/react-query";
import { App, Button, Form } from "antd";
import { useState } from "react";
import { Link, useParams } from "react-router";
import { FormPage } from "@/shared/form/FormPage";
import { useUnsavedGuard } from "@/shared/lib/use-unsaved-guard";
import { usePageTitle } from "@/shared/stores/page-title";
import { TableSkeleton } from "@/shared/table/TableSkeleton";
import { ConfirmDanger } from "@/shared/ui/ConfirmDanger";
import { ErrorPanel } from "@/shared/ui/ErrorPanel";
import { Panel } from "@/shared/ui/Panel";
import type { DiskUser } from "../account/api";
import { diskUserOfQuery, useResetDiskUser, useSaveDiskUser } from "./api";
import { DiskSettingsFrame, settingsPath } from "./DiskSettingsFrame";
import { ProfileFields } from "./ProfileFields";
import { fromForm, type ProfileForm, toForm } from "./profile-form";

export default function DiskUserPage() {
  const id = Number(useParams()["*"]);
  return <DiskSettingsFrame>{(host) => <User key={id} host={host} id={id} />}</DiskSettingsFrame>;
}

function User({ host, id }: { host: string; id: number }) {
  const { data, error, refetch } = useQuery({ ...diskUserOfQuery(host, id), enabled: Number.isInteger(id) });
  usePageTitle(data && `网盘用户 ${data.username}`);
  if (data) return <UserForm host={host} fetched={data} />;
  return (
    <Panel>
      {error ? (
        <ErrorPanel title="网盘用户没有取到" error={error} onRetry={() => void refetch()} />
      ) : (
        <TableSkeleton rows={6} rowHeight={44} />
      )}
    </Panel>
  );
}

function UserForm({ host, fetched }: { host: string; fetched: DiskUser }) {
  const { message } = App.useApp();
  const [form] = Form.useForm<ProfileForm>();
  const [dirty, setDirty] = useState(false);
  // A refetch must not change a form that is being filled in.
  const [stored, setStored] = useState(fetched);
  const save = useSaveDiskUser(host);
  useUnsavedGuard(dirty, "离开这个页面后，没有保存的设置不会保留。");

  function takeOver(user: DiskUser) {
    setStored(user);
    setDirty(false);
    form.setFieldsValue(toForm(user));
  }

  return (
    <FormPage<ProfileForm>
      name="netdisk-user"
      form={form}
      initialValues={toForm(stored)}
      dirty={dirty}
      onDirty={setDirty}
      error={save.error}
      submitting={save.isPending}
      onSubmit={() => {
        const user = { ...stored, ...fromForm(form.getFieldsValue(true), stored) };
        save.mutate(user, {
          onSuccess: () => {
            setStored(user);
            setDirty(false);
            message.success("已保存", 1.5);
          },
        });
      }}
    >
      <Panel
        title={`网盘用户 ${stored.username}`}
        extra={<ResetButton host={host} user={stored} onReset={takeOver} />}
        padded
      >
        <p style={{ marginBottom: 12 }}>
          <Link to={`${settingsPath}/users`}>返回网盘用户</Link>
        </p>
        <ProfileFields />
      </Panel>
    </FormPage>
  );
}

interface ResetButtonProps {
  host: string;
  user: DiskUser;
  onReset: (user: DiskUser) => void;
}

function ResetButton({ host, user, onReset }: ResetButtonProps) {
  const { message } = App.useApp();
  const reset = useResetDiskUser(host);
  const [asking, setAsking] = useState(false);
  const close = () => setAsking(false);

  const confirm = () =>
    reset.mutate(user, {
      onSuccess: (fresh) => {
        close();
        onReset(fresh);
        message.success("已恢复默认", 1.5);
      },
      onError: (error) => {
        close();
        message.error(`没有恢复：${error.message}`, 2);
      },
    });

  return (
    <>
      <Button danger onClick={() => setAsking(true)}>
        恢复默认
      </Button>
      <ConfirmDanger
        open={asking}
        title={`恢复 ${user.username} 的默认设置？`}
        verb="恢复默认"
        submitting={reset.isPending}
        onConfirm={confirm}
        onClose={close}
      >
        权限、规则、可执行的命令和显示方式都按新用户的默认值重新开始。文件不受影响。
      </ConfirmDanger>
    </>
  );
}
