// Records unfinished uploads, so that the panel can ask for their files again after a reload. Small single files are
// not recorded: sending them again takes no longer than asking.
import { beatMs, forgetLine, rememberLine } from "./remembered";
import type { EntryLine } from "./summary";
import { resumableFrom } from "./transport";

/** Ten thousand files dropped together are not asked for one by one. */
const most = 200;

/** The recorded lines, with the time of recording. */
const written = new Map<string, { line: EntryLine; at: number }>();

const isWorthIt = ({ isDir, size }: EntryLine) => isDir || size >= resumableFrom;

function put(line: EntryLine, alive: number) {
  const { id, name, isDir, folder, size, modified, loaded } = line;
  const percent = size > 0 ? Math.floor((loaded / size) * 100) : 0;
  rememberLine({ id, name, isDir, folder, size, modified, percent, alive });
}

export function keepBook(lines: readonly EntryLine[], now = Date.now()) {
  const open = lines.filter((line) => line.state !== "finished" && line.state !== "skipped");
  const keep = open.filter(isWorthIt).slice(0, most);
  const ids = new Set(keep.map(({ id }) => id));
  for (const id of Array.from(written.keys())) {
    if (ids.has(id)) continue;
    written.delete(id);
    forgetLine(id);
  }
  for (const line of keep) {
    const last = written.get(line.id)?.at ?? 0;
    const at = now - last >= beatMs ? now : last;
    if (at !== last) put(line, now);
    written.set(line.id, { line, at });
  }
}

/** Paused lines have no progress, but still belong to this tab. */
setInterval(() => {
  const now = Date.now();
  for (const [id, { line, at }] of written) {
    if (now - at < beatMs) continue;
    put(line, now);
    written.set(id, { line, at: now });
  }
}, beatMs);

/** The page closes: the next one may ask for the files at once. */
export function leaveBook() {
  for (const { line } of written.values()) put(line, 0);
}
