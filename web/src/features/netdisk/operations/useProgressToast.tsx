// The toast of an operation on many entries: its progress, and a stop button. While it runs, leaving the page asks
// first.
import { App, Button } from "antd";
import { formatCount } from "@/shared/lib/numbers";
import { noteWork } from "@/shared/lib/page-work";

/** Fewer are done before a number could be read. */
const countedFrom = 50;
/** Between two numbers, in ms. */
const pause = 250;

export interface Progress {
  /** Aborted by the button or `stop`. The entry in progress is finished. */
  signal: AbortSignal;
  stop: () => void;
  /** Counts one more entry. */
  step: () => void;
  /** The toast is left to the message of the outcome. */
  end: () => void;
}

/** Unsent requests would be lost with the page. */
const hold = (event: BeforeUnloadEvent) => event.preventDefault();

/** `doing` is the verb as in 正在删除, `key` the toast's: the message of the outcome replaces it. */
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
    noteWork(key, true);
    return {
      signal: stopper.signal,
      stop,
      step: () => {
        done += 1;
        if (total >= countedFrom && performance.now() - shownAt >= pause) show();
      },
      end: () => {
        removeEventListener("beforeunload", hold);
        noteWork(key, false);
      },
    };
  };
}
