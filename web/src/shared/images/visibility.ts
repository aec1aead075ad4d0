// Visibility of images: one table for label, explanation and filter.
import type { components } from "@/shared/api/portal";
import type { IconName } from "@/shared/theme/icon-shapes";

export type Visibility = components["schemas"]["Visibility"];

const visibilities = ["private", "group", "public"] as const satisfies readonly Visibility[];

export const isVisibility = (word: string | undefined): word is Visibility =>
  visibilities.some((known) => known === word);

interface VisibilityLook {
  label: string;
  note: string;
  icon: IconName;
}

export const visibilityLooks: Record<Visibility, VisibilityLook> = {
  private: { label: "仅自己", note: "只有所有者和管理员能看到、使用", icon: "lock" },
  group: { label: "同组", note: "与所有者同组的人能看到、使用", icon: "users" },
  public: { label: "所有人", note: "登录的人都能看到、使用", icon: "eye" },
};

export const visibilityOptions = visibilities.map((value) => ({
  value,
  label: visibilityLooks[value].label,
}));
