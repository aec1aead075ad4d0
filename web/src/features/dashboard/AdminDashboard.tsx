// The blocks of administrators. Their own instances and quotas are there only if they have any.
import { useQuery } from "@tanstack/react-query";
import type { AdminFigures, Quotas } from "@/shared/api/dashboard";
import type { User } from "@/shared/api/profile";
import { myInstancesQuery } from "@/shared/compute/api";
import { CreateLink, MyInstances } from "@/shared/compute/MyInstances";
import { Columns } from "@/shared/table/Columns";
import { usePhone } from "@/shared/ui/usePhone";
import { AdminStrip } from "./AdminStrip";
import { Announcements } from "./Announcements";
import { CardsOverTime } from "./CardsOverTime";
import type { UsageState } from "./DiskQuota";
import { FilePlaces } from "./FilePlaces";
import { LabFirstSteps } from "./LabFirstSteps";
import { OpenWorksheets } from "./OpenWorksheets";
import { PortalPeople } from "./PortalPeople";
import { QuotaStrip } from "./QuotaStrip";
import { RecentFailures } from "./RecentFailures";
import type { ReadAnnouncements } from "./read-announcements";
import { ServerHealth } from "./ServerHealth";

interface AdminDashboardProps {
  quotas: Quotas;
  figures: AdminFigures;
  usage: UsageState;
  profile: User | undefined;
  refreshing: boolean;
  reading: ReadAnnouncements;
}

export function AdminDashboard({
  quotas,
  figures,
  usage,
  profile,
  refreshing,
  reading,
}: AdminDashboardProps) {
  const own = useQuery(myInstancesQuery).data;
  const hasOwn = own !== undefined && own.total > 0;
  const phone = usePhone();
  return (
    <>
      <LabFirstSteps />
      <AdminStrip usage={usage} />
      {/* What waits for the reader stays within reach of a thumb. */}
      {phone && <OpenWorksheets admin />}
      <Columns
        side={
          <>
            {!phone && <OpenWorksheets admin />}
            <RecentFailures failures={figures.recentFailures} />
            <Announcements admin reading={reading} />
            <PortalPeople figures={figures} />
            <FilePlaces admin groups={profile?.groups.map((group) => group.name) ?? []} />
          </>
        }
      >
        {!phone && <CardsOverTime />}
        <ServerHealth />
        {phone && <CardsOverTime />}
        {hasOwn && <MyInstances extra={<CreateLink />} />}
        {hasOwn && <QuotaStrip quotas={quotas} usage={usage} admin refreshing={refreshing} />}
      </Columns>
    </>
  );
}
