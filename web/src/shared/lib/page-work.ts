// What a page is doing for its user without input: such work keeps the session from ending as idle.

const underWay = new Set<string>();

/** Notes that work of this name has begun or ended. */
export function noteWork(name: string, running: boolean) {
  if (running) underWay.add(name);
  else underWay.delete(name);
}

/** Whether a media element of this page plays. */
const isPlaying = () =>
  [...document.querySelectorAll<HTMLMediaElement>("video, audio")].some((media) => !media.paused);

/** Whether the page works for its user right now. */
export const isWorking = () => underWay.size > 0 || isPlaying();
