// Whether this browser can open an address of another origin. Over https, it can't where it distrusts the certificate.

const patienceMs = 6000;

/** The response is not read, so the other origin need not allow that. */
export async function canReach(address: string): Promise<boolean> {
  try {
    await fetch(address, {
      mode: "no-cors",
      cache: "no-store",
      credentials: "omit",
      signal: AbortSignal.timeout(patienceMs),
    });
    return true;
  } catch {
    return false;
  }
}
