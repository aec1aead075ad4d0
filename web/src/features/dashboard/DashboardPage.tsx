// Blocks from top to bottom: my quotas, the state of the whole (administrators), files and events. A new block is one
// more component here.
import { useQuery } from "@tanstack/react-query";
import { profileQuery } from "@/shared/api/profile";
import { publicSettingsQuery } from "@/shared/api/public-settings";
import { isAdmin, useSession } from "@/shared/stores/session";
import { ErrorPanel } from "@/shared/ui/ErrorPanel";
import { Panel } from "@/shared/ui/Panel";
import { RefreshFailed } from "@/shared/ui/RefreshFailed";
import { AdminStrip } from "./AdminStrip";
import { dashboardQuery, diskUsageQuery } from "./api";
import styles from "./DashboardPage.module.css";
import { DashboardSkeleton } from "./DashboardSkeleton";
import { FilePlaces } from "./FilePlaces";
import { QuotaStrip } from "./QuotaStrip";
import { RecentFailures } from "./RecentFailures";
import { RecentLogins } from "./RecentLogins";

export default function DashboardPage() {
  const session = useSession();
  const dashboard = useQuery(dashboardQuery);
  const profile = useQuery(profileQuery(session.id));
  const settings = useQuery(publicSettingsQuery).data;
  // Where the storage host is stands in the settings.
  const usage = useQuery(diskUsageQuery(settings?.storageHost ?? ""));
  const { data, error } = dashboard;
  const admin = isAdmin(session);
  const retry = () => void dashboard.refetch();

  return (
    <div className={styles.stack}>
      <h1 className={styles.title}>首页</h1>
      {!data && !error && <DashboardSkeleton />}
      {!data && error && (
        <Panel>
          <ErrorPanel title="首页的数据没有取到" error={error} onRetry={retry} />
        </Panel>
      )}
      {data && (
        <>
          {error && <RefreshFailed error={error} onRetry={retry} />}
          <QuotaStrip
            quotas={data.quotas}
            usage={{ data: usage.data, fault: usage.error?.message }}
            admin={admin}
            refreshing={dashboard.isFetching}
          />
          {data.admin && <AdminStrip figures={data.admin} />}
          <div className={data.admin ? styles.columns : styles.single}>
            {data.admin && (
              <div className={styles.stack}>
                <RecentLogins logins={data.admin.recentLogins} />
                <RecentFailures failures={data.admin.recentFailures} />
              </div>
            )}
            <FilePlaces admin={admin} groups={profile.data?.groups.map((group) => group.name) ?? []} />
          </div>
        </>
      )}
    </div>
  );
}
