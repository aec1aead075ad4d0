// The first page. People: their instances, free cards, work orders, quotas. Administrators: the lab in five figures,
// its cards over a day, its servers, and what waits for them. A new block is one more component here.
import { useQuery } from "@tanstack/react-query";
import { dashboardQuery } from "@/shared/api/dashboard";
import { diskUsageQuery } from "@/shared/api/disk-usage";
import { profileQuery } from "@/shared/api/profile";
import { publicSettingsQuery } from "@/shared/api/public-settings";
import { isAdmin, useSession } from "@/shared/stores/session";
import { Stack } from "@/shared/table/Columns";
import { ErrorPanel } from "@/shared/ui/ErrorPanel";
import { Panel } from "@/shared/ui/Panel";
import { RefreshFailed } from "@/shared/ui/RefreshFailed";
import { AdminDashboard } from "./AdminDashboard";
import styles from "./DashboardPage.module.css";
import { DashboardSkeleton } from "./DashboardSkeleton";
import { OwnDashboard } from "./OwnDashboard";
import { useReadAnnouncements } from "./read-announcements";
import { UnreadAnnouncements } from "./UnreadAnnouncements";

export default function DashboardPage() {
  const session = useSession();
  const admin = isAdmin(session);
  const dashboard = useQuery(dashboardQuery);
  const profile = useQuery(profileQuery(session.id));
  // The storage host is in the settings.
  const host = useQuery(publicSettingsQuery).data?.storageHost ?? "";
  const usage = useQuery(diskUsageQuery(host));
  const reading = useReadAnnouncements();
  const { data, error } = dashboard;
  const retry = () => void dashboard.refetch();
  const blocks = {
    usage: { data: usage.data, fault: usage.error?.message },
    profile: profile.data,
    refreshing: dashboard.isFetching,
    reading,
  };

  return (
    <Stack>
      <h1 className={styles.title}>首页</h1>
      {!data && !error && <DashboardSkeleton />}
      {!data && error && (
        <Panel>
          <ErrorPanel title="首页的数据没有取到" error={error} onRetry={retry} />
        </Panel>
      )}
      {data && error && <RefreshFailed error={error} onRetry={retry} />}
      {data && <UnreadAnnouncements admin={admin} reading={reading} />}
      {data?.admin && <AdminDashboard quotas={data.quotas} figures={data.admin} {...blocks} />}
      {data && !data.admin && (
        <OwnDashboard
          quotas={data.quotas}
          hasInitialPassword={data.hasInitialPassword}
          host={host}
          {...blocks}
        />
      )}
    </Stack>
  );
}
