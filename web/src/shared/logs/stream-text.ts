// Reads a text that the server keeps writing, piece by piece.
import { problemOf } from "@/shared/api/problem";
import { signedFetch } from "@/shared/api/signed-fetch";

/** Resolves at its end; fails with an `ApiError` when it did not begin, and with any error when it broke off. */
export async function streamText(
  address: string,
  onText: (text: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const response = await signedFetch(new Request(new URL(address, location.origin), { signal }));
  if (!response.ok) throw problemOf(response, await response.json().catch(() => null));
  const reader = response.body?.getReader();
  if (!reader) return;
  const decoder = new TextDecoder();
  for (;;) {
    const { done, value } = await reader.read();
    onText(decoder.decode(value, { stream: !done }));
    if (done) return;
  }
}
