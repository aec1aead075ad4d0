// Changes the user's own password. This ends all sessions of the account, this one too, so the page goes to the
// sign-in.
import { useQuery } from "@tanstack/react-query";
import { App } from "antd";
import { useNavigate } from "react-router";
import { profileQuery } from "@/shared/api/profile";
import { publicSettingsQuery } from "@/shared/api/public-settings";
import { dropToken } from "@/shared/api/token";
import { useSession } from "@/shared/stores/session";
import { EmptyPanel } from "@/shared/ui/EmptyPanel";
import { PageHeader } from "@/shared/ui/PageHeader";
import { Panel } from "@/shared/ui/Panel";
import { passwordLockQuery, useChangePassword } from "./api";
import { PasswordFormView } from "./PasswordFormView";

export default function PasswordPage() {
  const { id, username } = useSession();
  const navigate = useNavigate();
  const { message } = App.useApp();
  const external = useQuery(profileQuery(id)).data?.source === "ldap";
  const host = useQuery(publicSettingsQuery).data?.storageHost ?? "";
  const lock = useQuery({ ...passwordLockQuery(host, id), enabled: host !== "" });
  const change = useChangePassword(id);

  return (
    <>
      <PageHeader title="修改密码" />
      <Panel padded>
        {external ? (
          <EmptyPanel
            icon="key"
            text="这个账号的密码不在这里"
            note="统一身份（LDAP）账号的密码请在统一身份系统中修改。"
          />
        ) : lock.data ? (
          <EmptyPanel icon="lock" text="这个账号的密码已锁定" note="需要修改时请联系管理员。" />
        ) : (
          <PasswordFormView
            username={username}
            error={change.error}
            submitting={change.isPending}
            onSubmit={(values) =>
              change.mutate(values, {
                onSuccess: () => {
                  message.success("密码已修改，请重新登录", 1.5);
                  dropToken();
                  void navigate("/login");
                },
              })
            }
          />
        )}
      </Panel>
    </>
  );
}
