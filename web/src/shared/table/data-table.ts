// The types between DataTable and its users: columns, source of the rows, selection.
import type { ReactNode } from "react";
import type { IconName } from "@/shared/theme/icon-shapes";
import type { Failure } from "@/shared/ui/failure";

export type RowKey = string | number;

export interface DataColumn<Row> {
  key: string;
  title: string;
  render: (row: Row) => ReactNode;
  /** The API's name to sort by; without it the column cannot be sorted by. */
  sort?: string;
  /** Numbers are right-aligned. */
  align?: "right";
  width?: number;
  /** Neither hidden by the reader nor left out: the name, the actions. */
  always?: boolean;
  /** Of little value: left out where the window is under 1200 px. */
  wide?: boolean;
  /** Hidden until the user enables it. */
  optional?: boolean;
}

/** Rows as the query has them: `data` stays during a refetch and after a failed one. */
export interface DataSource<Row> {
  data: { items: readonly Row[]; total: number } | undefined;
  error: Failure | null;
  fetching: boolean;
  onRetry: () => void;
}

export interface ListPosition {
  page: number;
  size: number;
  sort: string;
  order: "asc" | "desc";
  setPage: (page: number, size?: number) => void;
  setOrder: (sort: string, order: "asc" | "desc") => void;
}

export interface Selection<Row> {
  keys: readonly RowKey[];
  onChange: (keys: RowKey[]) => void;
  /** The unit: 人, 个. */
  unit: string;
  /** The accessible name of a row's box. */
  nameOf: (row: Row) => string;
  actions: ReactNode;
}

/** What a row unfolds to. */
export interface Expansion<Row> {
  /** The row's name, for its button. */
  nameOf: (row: Row) => string;
  render: (row: Row) => ReactNode;
}

export interface EmptyState {
  icon: IconName;
  text: string;
  note?: string;
  action?: ReactNode;
}
