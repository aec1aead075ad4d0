// The signed-in user's own account: personal data (editable), quotas, groups, and secrets for programs.
import { useQuery } from "@tanstack/react-query";
import { Skeleton } from "antd";
import { diskUsageQuery } from "@/shared/api/disk-usage";
import { profileQuery } from "@/shared/api/profile";
import { publicSettingsQuery } from "@/shared/api/public-settings";
import { Invitations } from "@/shared/groups/Invitations";
import { isAdmin, useSession } from "@/shared/stores/session";
import { ErrorPanel } from "@/shared/ui/ErrorPanel";
import { PageHeader } from "@/shared/ui/PageHeader";
import { Panel } from "@/shared/ui/Panel";
import { AccountFacts } from "./AccountFacts";
import styles from "./DetailPage.module.css";
import { GroupsPanel } from "./GroupsPanel";
import { NoticesPanel } from "./NoticesPanel";
import { ProfileForm } from "./ProfileForm";
import { QuotasPanel } from "./QuotasPanel";
import { SignInsPanel } from "./SignInsPanel";
import { AccessTokens } from "./secrets/AccessTokens";
import { AppPasswords } from "./secrets/AppPasswords";
import { SshKeys } from "./secrets/SshKeys";

export default function DetailPage() {
  const id = useSession((session) => session.id);
  const admin = useSession(isAdmin);
  const { data, error, refetch } = useQuery(profileQuery(id));
  const host = useQuery(publicSettingsQuery).data?.storageHost ?? "";
  // An administrator's root is the whole storage.
  const home = admin ? `/home/${data?.username ?? ""}` : "/";
  const usage = useQuery({ ...diskUsageQuery(host, home), enabled: host !== "" && data !== undefined });
  return (
    <>
      <PageHeader title="个人资料" />
      {data ? (
        <>
          <div className={styles.invitations}>
            <Invitations />
          </div>
          <div className={styles.columns}>
            <ProfileForm user={data} />
            <div className={styles.side}>
              <AccountFacts user={data} />
              <QuotasPanel user={data} usage={usage.data} />
              <GroupsPanel groups={data.groups} />
              <NoticesPanel email={data.email} />
            </div>
          </div>
          <div className={styles.signIns}>
            <SignInsPanel />
          </div>
          <div className={styles.secrets}>
            <AccessTokens />
            <AppPasswords />
            <SshKeys />
          </div>
        </>
      ) : (
        <Panel padded>
          {error ? (
            <ErrorPanel title="个人资料没有取到" error={error} onRetry={() => void refetch()} />
          ) : (
            <Skeleton avatar paragraph={{ rows: 6 }} />
          )}
        </Panel>
      )}
    </>
  );
}
