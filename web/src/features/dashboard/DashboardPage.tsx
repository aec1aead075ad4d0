// Blocks from top to bottom: the first steps while there are any, the user's quotas, the lab's state (administrators),
// the user's instances, free cards or the servers' health, files and events. A new block is one more component here.
import { useQuery } from "@tanstack/react-query";
import { dashboardQuery } from "@/shared/api/dashboard";
import { diskUsageQuery } from "@/shared/api/disk-usage";
import { profileQuery } from "@/shared/api/profile";
import { publicSettingsQuery } from "@/shared/api/public-settings";
import { CreateLink, MyInstances } from "@/shared/compute/MyInstances";
import { isAdmin, useSession } from "@/shared/stores/session";
import { Columns, Stack } from "@/shared/table/Columns";
import { ErrorPanel } from "@/shared/ui/ErrorPanel";
import { Panel } from "@/shared/ui/Panel";
import { RefreshFailed } from "@/shared/ui/RefreshFailed";
import { AdminStrip } from "./AdminStrip";
import { Announcements } from "./Announcements";
import { CardsOverTime } from "./CardsOverTime";
import { ComputeStrip } from "./ComputeStrip";
import styles from "./DashboardPage.module.css";
import { DashboardSkeleton } from "./DashboardSkeleton";
import { FilePlaces } from "./FilePlaces";
import { FreeCards } from "./FreeCards";
import { LabFirstSteps } from "./LabFirstSteps";
import { OpenWorksheets } from "./OpenWorksheets";
import { OwnFirstSteps } from "./OwnFirstSteps";
import { QuotaStrip } from "./QuotaStrip";
import { RecentFailures } from "./RecentFailures";
import { RecentFiles } from "./RecentFiles";
import { RecentLogins } from "./RecentLogins";
import { ServerHealth } from "./ServerHealth";

export default function DashboardPage() {
  const session = useSession();
  const dashboard = useQuery(dashboardQuery);
  const profile = useQuery(profileQuery(session.id));
  // The storage host is in the settings.
  const host = useQuery(publicSettingsQuery).data?.storageHost ?? "";
  const usage = useQuery(diskUsageQuery(host));
  const { data, error } = dashboard;
  const admin = isAdmin(session);
  const retry = () => void dashboard.refetch();

  return (
    <Stack>
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
          {admin ? (
            <LabFirstSteps />
          ) : (
            profile.data && (
              <OwnFirstSteps
                hasInitialPassword={profile.data.source === "local" ? data.hasInitialPassword : undefined}
                used={usage.data?.used}
              />
            )
          )}
          <QuotaStrip
            quotas={data.quotas}
            usage={{ data: usage.data, fault: usage.error?.message }}
            admin={admin}
            refreshing={dashboard.isFetching}
          />
          {data.admin && <ComputeStrip />}
          {data.admin && <AdminStrip figures={data.admin} />}
          <Announcements admin={admin} />
          <Columns
            side={
              <>
                <FilePlaces admin={admin} groups={profile.data?.groups.map((group) => group.name) ?? []} />
                {!admin && <RecentFiles host={host} />}
                {data.admin && <RecentFailures failures={data.admin.recentFailures} />}
                {data.admin && <RecentLogins logins={data.admin.recentLogins} />}
              </>
            }
          >
            {data.admin && <CardsOverTime />}
            <MyInstances extra={<CreateLink />} />
            <OpenWorksheets admin={admin} />
            {data.admin ? <ServerHealth /> : <FreeCards />}
          </Columns>
        </>
      )}
    </Stack>
  );
}
