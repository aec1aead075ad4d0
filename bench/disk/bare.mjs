// The system calls of durable uploads and nothing else, from as many threads as there are clients: what the kernel and
// the disk let anybody have.
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, writeSync } from "node:fs";
import { join } from "node:path";
import { Worker, isMainThread, parentPort, workerData } from "node:worker_threads";

/** Seconds in which so many threads store so many files of this size in a folder, which is made. */
export async function bare(folder, { threads, files, bytes }) {
  for (const name of ["", "staged", "stored"]) mkdirSync(join(folder, name));
  const started = Array.from({ length: threads }, (_, first) => {
    return new Worker(new URL(import.meta.url), { workerData: { folder, first, threads, files, bytes } });
  });
  const said = () => Promise.all(started.map((worker) => new Promise((resolve, reject) => worker.once("message", resolve).once("error", reject))));
  await said();
  const begin = performance.now();
  for (const worker of started) worker.postMessage("begin");
  await said();
  await Promise.all(started.map((worker) => worker.terminate()));
  return (performance.now() - begin) / 1000;
}

/** Each file is durable before it has its name, and the name before the next file's turn. */
function store({ folder, first, threads, files, bytes }) {
  const content = Buffer.alloc(bytes, 5);
  const stored = openSync(join(folder, "stored"), "r");
  for (let n = first; n < files; n += threads) {
    const staged = join(folder, "staged", String(n));
    const file = openSync(staged, "wx");
    writeSync(file, content);
    fsyncSync(file);
    renameSync(staged, join(folder, "stored", `${n}.bin`));
    fsyncSync(stored);
    closeSync(file);
  }
  closeSync(stored);
}

if (!isMainThread) {
  parentPort.once("message", () => {
    store(workerData);
    parentPort.postMessage("done");
  });
  parentPort.postMessage("ready");
}
