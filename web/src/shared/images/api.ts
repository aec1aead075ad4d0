// Images for instances: those of the public library, and those that people of the lab saved or built.
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { portal, unwrap } from "@/shared/api/client";
import type { components } from "@/shared/api/portal";
import type { ListParams } from "@/shared/list/use-list-params";
import { isVisibility } from "./visibility";

type Schemas = components["schemas"];
export type PublicImage = Schemas["PublicImage"];
export type Image = Schemas["ImageView"];

/** Below it lies everything that shows images. */
export const imagesKey = "images";

/** The code of the refusal when the settings name no public library. */
export const libraryUnset = "public_image_url_unset";

type Place = Pick<ListParams<never>, "page" | "size" | "q">;

export const libraryQuery = ({ page, size, q }: Place) =>
  queryOptions({
    queryKey: [imagesKey, "library", { page, size, q }],
    queryFn: ({ signal }) => {
      const query = { page, size, ...(q && { search: q }) };
      return unwrap(portal.GET("/api/images/public", { params: { query }, signal }));
    },
    placeholderData: keepPreviousData,
    retry: false,
  });

export const libraryTagsQuery = (repository: string) =>
  queryOptions({
    queryKey: [imagesKey, "library-tags", repository],
    queryFn: ({ signal }) =>
      unwrap(portal.GET("/api/images/public/tags", { params: { query: { repository, size: 200 } }, signal })),
  });

type Filters = "visibility" | "mine";

export const imagesQuery = ({ page, size, sort, order, q, filters }: ListParams<Filters>) => {
  const { visibility, mine } = filters;
  const query = {
    page,
    size,
    sort,
    order,
    ...(q && { q }),
    ...(isVisibility(visibility) && { visibility }),
    ...(mine && { mine: true }),
  };
  return queryOptions({
    queryKey: [imagesKey, "list", query],
    queryFn: ({ signal }) => unwrap(portal.GET("/api/images", { params: { query }, signal })),
    placeholderData: keepPreviousData,
  });
};
