// Messages from outside of React: the guard and the end of a session. Pages use `App.useApp()`.
import type { App } from "antd";

type Feedback = ReturnType<typeof App.useApp>;

let current: Feedback | null = null;
/** The guard may have a message before the page is there to show it. */
let waiting: ((feedback: Feedback) => void)[] = [];

export function provideFeedback(feedback: Feedback) {
  current = feedback;
  for (const tell of waiting) tell(feedback);
  waiting = [];
}

function say(tell: (feedback: Feedback) => void) {
  if (current) tell(current);
  else waiting.push(tell);
}

export function showError(text: string) {
  say(({ message }) => message.error(text, 2));
}

export function showSessionExpired() {
  // One toast for several calls that were refused at once.
  say(({ message }) =>
    message.warning({ key: "session-expired", content: "登录过期，重新登录...", duration: 1.5 }),
  );
}

export function showDisabled(text: string) {
  say(({ notification }) =>
    notification.error({ key: "disabled", title: "Failed", description: text, duration: 2 }),
  );
}

const idleKey = "idle";

export function showIdleWarning() {
  say(({ message }) =>
    message.warning({
      key: idleKey,
      content: "很久没有操作，一分钟内将退出登录。动一下鼠标或按任意键可继续使用",
      duration: 0,
    }),
  );
}

export function hideIdleWarning() {
  say(({ message }) => message.destroy(idleKey));
}

export function showIdleEnd() {
  say(({ message }) =>
    message.warning({ key: "idle-end", content: "太久没有操作，已退出登录", duration: 0 }),
  );
}
