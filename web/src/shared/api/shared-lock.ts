// A lock that all tabs of this origin share: the browser's own, which is missing on plain http; there a short lease in
// local storage replaces it.
import { randomId } from "@/shared/lib/random-id";

const leaseMs = 8_000;
const pollMs = 40;

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

interface Lease {
  owner: string;
  until: number;
}

function readLease(key: string): Lease | null {
  const [owner, until] = (localStorage.getItem(key) ?? "").split(" ");
  return owner && until ? { owner, until: Number(until) } : null;
}

async function takeLease(key: string, owner: string) {
  for (;;) {
    const held = readLease(key);
    if (!held || held.until < Date.now()) {
      localStorage.setItem(key, `${owner} ${Date.now() + leaseMs}`);
      // Two tabs may have written at once: the last writer wins, and both see the result after a moment.
      await wait(pollMs);
      if (readLease(key)?.owner === owner) return;
    }
    await wait(pollMs);
  }
}

async function withLease<T>(name: string, work: () => Promise<T>): Promise<T> {
  const key = `lock_${name}`;
  const owner = randomId(12);
  await takeLease(key, owner);
  try {
    return await work();
  } finally {
    if (readLease(key)?.owner === owner) localStorage.removeItem(key);
  }
}

export function withSharedLock<T>(name: string, work: () => Promise<T>): Promise<T> {
  const locks = (navigator as { locks?: LockManager }).locks;
  return locks ? locks.request(name, work).then((result) => result) : withLease(name, work);
}
