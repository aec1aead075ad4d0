// Conversion of the datasets' form, which has the shape of the screen, to the API.
import type { Visibility } from "@/shared/images/visibility";
import type { DatasetChange, DatasetDetail, DatasetForm } from "./api";
import type { DatasetType } from "./words";

/** Fields that can also be changed later. */
export interface AboutFields {
  title: string;
  description: string;
  type: DatasetType;
  labels: string[];
  visibility: Visibility;
  licence: string;
  source: string;
  cover: string;
}

/** The source of a new dataset's files. */
export type Origin = "empty" | "copy" | "move" | "adopt";

export interface NewFields extends AboutFields {
  name: string;
  origin: Origin;
  folder: string;
}

export const newDataset: NewFields = {
  name: "",
  origin: "empty",
  folder: "",
  title: "",
  description: "",
  type: "image",
  labels: [],
  visibility: "private",
  licence: "",
  source: "",
  cover: "",
};

export function newPayload({ origin, folder, name, cover, ...about }: NewFields): DatasetForm {
  return {
    ...about,
    name: name.trim(),
    cover: cover.trim(),
    adopt: origin === "adopt",
    ...((origin === "copy" || origin === "move") && {
      origin: { folder: folder.replace(/\/$/, ""), copy: origin === "copy" },
    }),
  };
}

export function aboutOf(dataset: DatasetDetail): AboutFields {
  const { title, description, type, labels, visibility, licence, source, cover } = dataset;
  const ids = labels.map(({ id }) => id);
  return { title, description, type, labels: ids, visibility, licence, source, cover };
}

export const changePayload = (fields: AboutFields): DatasetChange => ({
  ...fields,
  cover: fields.cover.trim(),
});
