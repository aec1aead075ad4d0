// The form of a user, and its conversion to the API's body.
import dayjs, { type Dayjs } from "dayjs";
import {
  fromQuotaForm,
  type QuotaForm,
  type Quotas,
  quotaFormName,
  toQuotaForm,
} from "@/shared/quotas/quotas";
import type { User, UserData } from "./api";
import { initialPassword } from "./initial-password";

export interface UserForm extends QuotaForm {
  username: string;
  /** Only when creating, as the next one. */
  password: string;
  /** The first sign-in has to choose another password. */
  mustChangePassword: boolean;
  name: string;
  email: string;
  phone: string;
  introduction: string;
  role: User["role"];
  groupLeader: boolean;
  groups: number[];
  /** The last day of the account; null: it does not end. */
  endsOn: Dayjs | null;
}

interface NewUserDefaults {
  quotas: Quotas;
  mustChangePassword: boolean;
}

export function newUserForm({ quotas, mustChangePassword }: NewUserDefaults): UserForm {
  return {
    username: "",
    password: initialPassword(),
    mustChangePassword,
    name: "",
    email: "",
    phone: "",
    introduction: "",
    role: 2,
    groupLeader: false,
    groups: [],
    endsOn: null,
    ...toQuotaForm(quotas),
  };
}

export function userFormOf(user: User): UserForm {
  return {
    username: user.username,
    password: "",
    mustChangePassword: false,
    name: user.name,
    email: user.email,
    phone: user.phone,
    introduction: user.introduction,
    role: user.role,
    groupLeader: user.groupLeader,
    groups: user.groups.map((group) => group.id),
    endsOn: user.endsAt ? dayjs(user.endsAt) : null,
    ...toQuotaForm(user),
  };
}

/** The form field of an API fault. */
export const userFormName = (name: string): string => (name === "end" ? "endsOn" : quotaFormName(name));

export function createData(form: UserForm): UserData {
  return {
    username: form.username.trim(),
    password: form.password,
    mustChangePassword: form.mustChangePassword,
    ...person(form),
    ...fromQuotaForm(form),
  };
}

/** Only changed fields, so that an odd number of bytes is not rounded by an unrelated change. */
export function updateData(before: UserForm, after: UserForm): UserData {
  const old: Record<string, unknown> = { ...person(before), ...fromQuotaForm(before) };
  const now = { ...person(after), ...fromQuotaForm(after) };
  return Object.fromEntries(
    Object.entries(now).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(old[name])),
  );
}

/** The end of the account's last day, as the API takes it. */
export const endOf = (form: UserForm): string | null => form.endsOn?.endOf("day").toISOString() ?? null;

/** The same, where another day was chosen. */
export function changedEnd(before: UserForm, after: UserForm): string | null | undefined {
  const same = before.endsOn === null ? after.endsOn === null : before.endsOn.isSame(after.endsOn, "day");
  return same ? undefined : endOf(after);
}

function person(form: UserForm) {
  return {
    name: form.name.trim(),
    email: form.email.trim(),
    phone: form.phone.trim(),
    introduction: form.introduction,
    role: form.role,
    groupLeader: form.groupLeader,
    groups: form.groups,
  };
}
