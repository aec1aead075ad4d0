// Saves the user's display settings, and reports a failure; success is visible.
import { App } from "antd";
import { useSession } from "@/shared/stores/session";
import { type Habits, useChangeHabits } from "./api";

export function useSaveHabits(host: string) {
  const { message } = App.useApp();
  const me = useSession((session) => session.id);
  const { mutate } = useChangeHabits(host, me);
  return (habits: Partial<Habits>) =>
    mutate(habits, { onError: (error) => message.error(`没有保存：${error.message}`, 2) });
}
