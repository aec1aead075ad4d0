// One POST of a file or folder with the user's token.
import { pageToken } from "@/shared/api/page-token";
import { settledToken } from "@/shared/api/renew";
import { endSession } from "@/shared/api/session-end";
import { type Answer, PlainCall } from "./plain-call";

export class SignedCall {
  private readonly call = new PlainCall();

  abort() {
    this.call.abort();
  }

  /** Tried once more when another tab has renewed the token meanwhile. */
  async post(address: URL, body: File | null, onProgress: (loaded: number) => void): Promise<Answer> {
    const token = pageToken();
    const answer = await this.once(address, body, onProgress, token);
    if (answer.status !== 401 || token === null) return answer;
    const current = await settledToken(token);
    if (current !== null) return this.once(address, body, onProgress, current);
    endSession(token, 401, answer.line);
    return answer;
  }

  private once(
    address: URL,
    body: File | null,
    onProgress: (loaded: number) => void,
    token: string | null,
  ): Promise<Answer> {
    return this.call.post(address, body, token ? { authorization: `Bearer ${token}` } : {}, onProgress);
  }
}
