// Data that only the dashboard fetches and changes.
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { type AnnouncementForm, announcementsKey } from "@/shared/api/announcements";
import { portal, unwrap } from "@/shared/api/client";
import type { components as diskComponents } from "@/shared/api/disk";
import { askDisk, diskClient } from "@/shared/api/disk-client";
import type { components } from "@/shared/api/portal";
import { instancesQuery } from "@/shared/compute/api";
import { useAffecting } from "@/shared/list/use-affecting";
import { worksheetsQuery } from "@/shared/worksheets/api";

type Schemas = diskComponents["schemas"];
export type DiskItem = Schemas["Item"];

const isFile = ({ isDir, name }: DiskItem) => !isDir && !name.startsWith(".");

/** Files of the user's own folder itself, the last changed first. Dotfiles are left out. */
export const recentFilesQuery = (host: string) =>
  queryOptions({
    queryKey: ["netdisk", "recent", host],
    queryFn: async ({ signal }) => {
      const part = (offset: number) => {
        const query = { offset, limit: 50, sort: "modified", asc: false } as const;
        return askDisk<Schemas["Resource"]>(
          diskClient(host).GET("/api/resources/{path}", {
            params: { path: { path: "/home/" }, query },
            signal,
          }),
        );
      };
      const { items = [], numDirs = 0 } = await part(0);
      // Folders come first, whatever the order.
      const files = items.length > numDirs || numDirs === 0 ? items : (await part(numDirs)).items;
      return (files ?? []).filter(isFile).slice(0, 5);
    },
    enabled: host !== "",
    staleTime: 60_000,
  });

export type LabStep = components["schemas"]["FirstStep"];

/** The remaining steps of a new lab. */
export const firstStepsQuery = queryOptions({
  queryKey: ["dashboard", "first-steps"],
  queryFn: () => unwrap(portal.GET("/api/dashboard/first-steps")),
});

export type LabHistory = components["schemas"]["LabHistory"];

/** Of all cards together; a new sample every minute. */
export const labHistoryQuery = (minutes: number) =>
  queryOptions({
    queryKey: ["dashboard", "gpus", minutes],
    queryFn: ({ signal }) =>
      unwrap(portal.GET("/api/dashboard/gpus", { params: { query: { minutes } }, signal })),
    placeholderData: keepPreviousData,
    refetchInterval: 60_000,
  });

/** How many of all instances are in this state. */
export const brokenInstancesQuery = instancesQuery({
  page: 1,
  size: 1,
  sort: "created",
  order: "desc",
  state: "error",
});

/** The open work order that waits longest. */
export const oldestWorksheetQuery = worksheetsQuery({
  page: 1,
  size: 1,
  sort: "Created",
  order: "asc",
  open: true,
});

const useAnnouncing = <Input, Output>(change: (input: Input) => Promise<Output>) =>
  useAffecting([announcementsKey, "logs"], change);

/** A new one, or a changed text for the one with the id. */
export const useAnnounce = () =>
  useAnnouncing(({ id, body }: { id: string | undefined; body: AnnouncementForm }) =>
    unwrap(
      id === undefined
        ? portal.POST("/api/announcements", { body })
        : portal.PUT("/api/announcements/{id}", { params: { path: { id } }, body }),
    ),
  );

export const useDeleteAnnouncement = () =>
  useAnnouncing((id: string) =>
    unwrap(portal.DELETE("/api/announcements/{id}", { params: { path: { id } } })),
  );
