// The toast of an operation on many entries: how far it is, and a button that stops it. As long as it goes on, leaving
// the page asks first.
import { App, Button } from "antd";
import { formatCount } from "@/shared/lib/numbers";

/** Fewer are done before anybody could read a number. */
const countedFrom = 50;
/** Between two numbers, in ms. */
const pause = 250;

export interface Progress {
  /** Aborted by the button or `stop`. What is under way then is finished. */
  signal: AbortSignal;
  stop: () => void;
  /** One more entry is done. */
  step: () => void;
  /** The toast is left to whoever says how it went. */
  end: () => void;
}

/** What is not sent yet would be lost with the page. */
const hold = (event: BeforeUnloadEvent) => event.preventDefault();

/** `doing` is the verb as in 正在删除, `key` the toast's: what says how it went takes its place. */
export function useProgressToast(key: string) {
  const { message } = App.useApp();

  return function begin(doing: string, total: number): Progress {
    const stopper = new AbortController();
    const stop = () => stopper.abort();
    let done = 0;
    let shownAt = 0;

    function show() {
      shownAt = performance.now();
      const content =
        total < countedFrom ? (
          `正在${doing}…`
        ) : (
          <span>
            正在{doing} {formatCount(done)} / {formatCount(total)}
            <Button size="small" type="link" onClick={stop}>
              停止
            </Button>
          </span>
        );
      message.open({ key, type: "loading", content, duration: 0 });
    }

    show();
    addEventListener("beforeunload", hold);
    return {
      signal: stopper.signal,
      stop,
      step: () => {
        done += 1;
        if (total >= countedFrom && performance.now() - shownAt >= pause) show();
      },
      end: () => removeEventListener("beforeunload", hold),
    };
  };
}
