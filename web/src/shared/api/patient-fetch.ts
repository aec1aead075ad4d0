// Calls to the portal tell the watch over the line how they went. What changes something fails at once while the line is
// lost, and soon after it is lost, instead of waiting for a timeout of the network.
import { checkLine, noteAnswer, noteSilence, useLine } from "./line";
import { offlineProblem, unansweredProblem } from "./problem";

/** Milliseconds without an answer until the portal is asked whether it is still there, and between two questions. */
const patience = 4_000;

/** What a proxy answers for a portal that is away. */
const away = [502, 504];

const onlyReads = ({ method }: Request) => method === "GET" || method === "HEAD";

/** Aborts with `unansweredProblem` once the portal does not answer two questions in a row. */
function watchAnswer(): { signal: AbortSignal; end: () => void } {
  const control = new AbortController();
  let over = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const wait = (silences: number) => {
    timer = setTimeout(async () => {
      const unanswered = (await checkLine()) ? 0 : silences + 1;
      if (over) return;
      if (unanswered < 2) wait(unanswered);
      else control.abort(unansweredProblem());
    }, patience);
  };
  wait(0);
  return {
    signal: control.signal,
    // Not by aborting: the body of the answer is still to be read.
    end: () => {
      over = true;
      clearTimeout(timer);
    },
  };
}

async function sendChange(request: Request, fetch: (request: Request) => Promise<Response>) {
  if (useLine.getState().lost && !(await checkLine())) throw offlineProblem();
  const { signal, end } = watchAnswer();
  try {
    return await fetch(new Request(request, { signal: AbortSignal.any([request.signal, signal]) }));
  } catch (cause) {
    if (signal.aborted) throw signal.reason;
    throw cause;
  } finally {
    end();
  }
}

export async function patientFetch(
  request: Request,
  fetch: (request: Request) => Promise<Response>,
): Promise<Response> {
  if (new URL(request.url).origin !== location.origin) return fetch(request);
  try {
    const response = await (onlyReads(request) ? fetch(request) : sendChange(request, fetch));
    if (away.includes(response.status)) noteSilence();
    else noteAnswer();
    return response;
  } catch (cause) {
    if (!request.signal.aborted) noteSilence();
    throw cause;
  }
}
