// Conversion of the groups' form, which has the shape of the screen, to the API.
import { fromQuotaForm, type QuotaForm, toQuotaForm } from "@/shared/quotas/quotas";
import type { Group, GroupPayload } from "./api";

/** A group has no temporary instances. */
export interface GroupForm extends Omit<QuotaForm, "instanceLimitOffset"> {
  name: string;
  description: string;
  leaders: number[];
  /** Only when creating; later they are kept on the page of members. */
  members: number[];
}

export const newGroup: GroupForm = {
  name: "",
  description: "",
  leaders: [],
  members: [],
  instanceLimit: 0,
  GPUNumlimit: 0,
  cores: 0,
  memoryGb: 0,
  diskGb: 0,
};

export function groupFormOf(group: Group): GroupForm {
  const { instanceLimitOffset: _none, ...quotas } = toQuotaForm({ ...group, instanceLimitOffset: 0 });
  return {
    name: group.name,
    description: group.description,
    leaders: group.leaders.map((leader) => leader.id),
    members: [],
    ...quotas,
  };
}

export function groupPayload(form: GroupForm, creating: boolean): GroupPayload {
  const { instanceLimitOffset: _none, ...quotas } = fromQuotaForm({ ...form, instanceLimitOffset: 0 });
  return {
    name: form.name.trim(),
    description: form.description.trim(),
    leaders: form.leaders,
    ...(creating && { members: form.members }),
    ...quotas,
  };
}
