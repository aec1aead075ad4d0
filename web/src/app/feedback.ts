// Messages for what happens outside of React: the guard and the end of a session. Pages use `App.useApp()`.
import type { App } from "antd";

type Feedback = ReturnType<typeof App.useApp>;

let current: Feedback | null = null;

export function provideFeedback(feedback: Feedback) {
  current = feedback;
}

export function showError(text: string) {
  current?.message.error(text, 2);
}

export function showSessionExpired() {
  // One toast, however many calls were refused at once.
  current?.message.warning({ key: "session-expired", content: "登录过期，重新登录...", duration: 1.5 });
}

export function showDisabled(text: string) {
  current?.notification.error({ key: "disabled", title: "Failed", description: text, duration: 2 });
}
