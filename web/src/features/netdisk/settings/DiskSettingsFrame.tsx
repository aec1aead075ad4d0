// The frame of the disk's settings: their tabs, and the error when the disk cannot be reached.
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { NavLink } from "react-router";
import { publicSettingsQuery } from "@/shared/api/public-settings";
import { isAdmin, useSession } from "@/shared/stores/session";
import { TableSkeleton } from "@/shared/table/TableSkeleton";
import { ErrorPanel } from "@/shared/ui/ErrorPanel";
import { FingerRoom } from "@/shared/ui/FingerRoom";
import { PageHeader } from "@/shared/ui/PageHeader";
import { Panel } from "@/shared/ui/Panel";
import { type DiskUser, diskFeaturesQuery, diskUserQuery } from "../account/api";
import { useDiskTheme } from "../account/useDiskTheme";
import { NoStorage } from "../NoStorage";
import styles from "./DiskSettingsFrame.module.css";

export const settingsPath = "/settings/netdisk_settings";

const tabs = [
  { path: "profile", title: "个人设置", admin: false },
  { path: "shares", title: "分享管理", admin: false },
  { path: "global", title: "全局设置", admin: true },
  { path: "users", title: "网盘用户", admin: true },
] as const;

interface DiskSettingsFrameProps {
  /** Only administrators of the disk get here. */
  children: (host: string, me: DiskUser) => ReactNode;
}

export function DiskSettingsFrame({ children }: DiskSettingsFrameProps) {
  const settings = useQuery(publicSettingsQuery);
  const admin = useSession(isAdmin);
  const id = useSession((session) => session.id);
  const host = settings.data?.storageHost ?? "";
  const user = useQuery({ ...diskUserQuery(host, id), enabled: host !== "" });
  const features = useQuery({ ...diskFeaturesQuery(host), enabled: host !== "" });
  useDiskTheme(user.data, features.data);
  const error = settings.error ?? user.error;

  if (settings.data && host === "") return <NoStorage admin={admin} />;
  return (
    <FingerRoom>
      <PageHeader title="网盘设置" />
      <nav className={styles.tabs} aria-label="网盘设置的部分">
        {tabs
          .filter((tab) => !tab.admin || user.data?.perm.admin)
          .map(({ path, title }) => (
            <NavLink
              key={path}
              to={`${settingsPath}/${path}`}
              className={({ isActive }) =>
                isActive ? `${styles.tab} ${styles.current}` : (styles.tab ?? "")
              }
            >
              {title}
            </NavLink>
          ))}
      </nav>
      {user.data ? (
        children(host, user.data)
      ) : (
        <Panel padded>
          {error ? (
            <ErrorPanel title="网盘设置没有取到" error={error} onRetry={() => void user.refetch()} />
          ) : (
            <TableSkeleton rows={5} rowHeight={44} />
          )}
        </Panel>
      )}
    </FingerRoom>
  );
}
