// Fetches the backups, and requests one.
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { portal, unwrap } from "@/shared/api/client";
import type { components } from "@/shared/api/portal";
import { useAffecting } from "@/shared/list/use-affecting";

export type Backup = components["schemas"]["Backup"];
export type BackupKind = components["schemas"]["BackupKind"];
export type BackupList = components["schemas"]["BackupList"];
export type BackupOutcome = components["schemas"]["BackupOutcome"];
export type BackupSettings = components["schemas"]["BackupSettings"];

/** Interval while a backup runs and the user waits for it. */
const runningMs = 2000;
const restingMs = 60_000;

export const backupsQuery = ({ page, size }: { page: number; size: number }) =>
  queryOptions({
    queryKey: ["backups", { page, size }],
    queryFn: ({ signal }) =>
      unwrap(portal.GET("/api/backups", { params: { query: { page, size } }, signal })),
    refetchInterval: ({ state }) => (state.data?.running ? runningMs : restingMs),
    placeholderData: keepPreviousData,
  });

/** The answer does not wait for the backup. */
export const useBackUp = () =>
  useAffecting(["backups", "duties", "logs"], () => unwrap(portal.POST("/api/backups")));
