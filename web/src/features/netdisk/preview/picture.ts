// Smaller versions of pictures, made by the storage host: a square for the mosaic, a reduced one to look at.
import { queryOptions } from "@tanstack/react-query";
import { askDisk, diskClient } from "@/shared/api/disk-client";
import type { Item } from "../api";

/** What the server can reduce; others are shown as they are. A reduced GIF would stand still. */
const reducible = /^\.(jpe?g|png|webp|bmp|tiff?)$/i;
const thumbable = /^\.(jpe?g|png|gif|webp|bmp|tiff?)$/i;

type File = Pick<Item, "type" | "extension">;

export const isReducible = ({ type, extension }: File) => type === "image" && reducible.test(extension);
export const isThumbable = ({ type, extension }: File) => type === "image" && thumbable.test(extension);

const keptMs = 5 * 60_000;

/** Another time of change is another picture; so it never gets old. */
export const pictureQuery = (
  host: string,
  size: "thumb" | "big",
  { path, modified }: { path: string; modified: string },
) =>
  queryOptions({
    queryKey: ["netdisk-picture", host, size, path, modified],
    queryFn: ({ signal }) =>
      askDisk(
        diskClient(host).GET("/api/preview/{size}/{path}", {
          params: { path: { size, path }, query: { k: modified } },
          parseAs: "blob",
          signal,
        }),
      ),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: keptMs,
    retry: false,
  });
