// URLs of the datasets' pages, and of related actions.
import { encodePath } from "@/shared/api/disk-client";

export const listLink = "/dataset/dataset_show";

export const infoLink = (id: string) => `/dataset/dataset_info?${new URLSearchParams({ dataset: id })}`;

/** A folder or file on the network disk, by its path there. */
export const diskLink = (path: string) => `/netdisk/files${encodePath(path)}`;

/** The page that makes an instance, with this dataset chosen. */
export const createLink = (name: string) =>
  `/servers/instance_create?${new URLSearchParams({ dataset: name })}`;
