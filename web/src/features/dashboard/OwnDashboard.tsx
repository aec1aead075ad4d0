// The blocks of people: what they work with first.
import type { Quotas } from "@/shared/api/dashboard";
import type { User } from "@/shared/api/profile";
import { CreateLink, MyInstances } from "@/shared/compute/MyInstances";
import { Columns } from "@/shared/table/Columns";
import { usePhone } from "@/shared/ui/usePhone";
import { Announcements } from "./Announcements";
import type { UsageState } from "./DiskQuota";
import { FilePlaces } from "./FilePlaces";
import { FreeCards } from "./FreeCards";
import { OpenWorksheets } from "./OpenWorksheets";
import { OwnFirstSteps } from "./OwnFirstSteps";
import { QuotaStrip } from "./QuotaStrip";
import { RecentFiles } from "./RecentFiles";
import type { ReadAnnouncements } from "./read-announcements";

interface OwnDashboardProps {
  quotas: Quotas;
  hasInitialPassword: boolean;
  usage: UsageState;
  /** Undefined while it is unknown. */
  profile: User | undefined;
  /** The storage host. */
  host: string;
  refreshing: boolean;
  reading: ReadAnnouncements;
}

export function OwnDashboard({
  quotas,
  hasInitialPassword,
  usage,
  profile,
  host,
  refreshing,
  reading,
}: OwnDashboardProps) {
  const phone = usePhone();
  const strip = <QuotaStrip quotas={quotas} usage={usage} admin={false} refreshing={refreshing} />;
  return (
    <>
      {profile && (
        <OwnFirstSteps
          hasInitialPassword={profile.source === "local" ? hasInitialPassword : undefined}
          used={usage.data?.used}
        />
      )}
      {!phone && strip}
      <Columns
        side={
          <>
            <OpenWorksheets admin={false} />
            {phone && strip}
            <Announcements admin={false} reading={reading} />
            <RecentFiles host={host} />
            <FilePlaces admin={false} groups={profile?.groups.map((group) => group.name) ?? []} />
          </>
        }
      >
        <MyInstances extra={<CreateLink />} />
        <FreeCards />
      </Columns>
    </>
  );
}
