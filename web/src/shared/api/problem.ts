// The error of a failed call. Pages match on `code`, show `message` and offer `requestId` to copy.
import type {} from "@tanstack/react-query";
import type { components } from "./portal";
import { bodyLimitWords, isProxyLimit } from "./proxies";

export type FieldProblem = components["schemas"]["FieldProblem"];

interface ApiErrorInit {
  status: number;
  code: string;
  message: string;
  fields?: FieldProblem[];
  requestId?: string;
  retryAfter?: number;
  response?: Response;
}

export class ApiError extends Error {
  /** 0 when there was no response. */
  readonly status: number;
  readonly code: string;
  readonly fields: FieldProblem[];
  /** To be quoted when asking for help; empty when there was no response. */
  readonly requestId: string;
  /** Seconds to wait before a retry, if the server sent them. */
  readonly retryAfter: number | undefined;
  readonly response: Response | undefined;

  constructor(init: ApiErrorInit) {
    super(init.message);
    this.name = "ApiError";
    this.status = init.status;
    this.code = init.code;
    this.fields = init.fields ?? [];
    this.requestId = init.requestId ?? "";
    this.retryAfter = init.retryAfter;
    this.response = init.response;
  }
}

// The error type of every query and mutation of this app: `unwrap` converts all other errors.
declare module "@tanstack/react-query" {
  interface Register {
    defaultError: ApiError;
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

const text = (value: unknown) => (typeof value === "string" && value !== "" ? value : undefined);

function fieldsOf(value: unknown): FieldProblem[] {
  if (!Array.isArray(value)) return [];
  return value.filter(
    (entry): entry is FieldProblem =>
      isRecord(entry) && typeof entry.name === "string" && typeof entry.message === "string",
  );
}

/** Builds the error from an answer and its body, which may be ours, a proxy's page, or text. */
export function problemOf(response: Response, body: unknown): ApiError {
  const problem = isRecord(body) ? body : {};
  const retryAfter = Number(response.headers.get("retry-after"));
  return new ApiError({
    status: response.status,
    code: text(problem.code) ?? `http_${response.status}`,
    message: text(problem.message) ?? (typeof body === "string" ? plain(body, response) : fallback(response)),
    fields: fieldsOf(problem.fields),
    requestId: text(problem.request_id) ?? text(response.headers.get("x-request-id")),
    ...(retryAfter > 0 && { retryAfter }),
    response,
  });
}

function plain(body: string, response: Response): string {
  const words = body.trim();
  const isOurs = words !== "" && !words.startsWith("<") && words.length <= 300;
  return isOurs && !isProxyLimit(response.status, words) ? words : fallback(response);
}

function fallback(response: Response): string {
  if (isProxyLimit(response.status, "")) return bodyLimitWords;
  return `服务器没有给出说明（${response.status}）`;
}

export function networkProblem(cause: unknown): ApiError {
  const error = new ApiError({ status: 0, code: "network", message: "连不上服务器，请检查网络后重试" });
  error.cause = cause;
  return error;
}

/** The change was not sent, because the line is known to be lost. */
export const offlineProblem = () =>
  new ApiError({ status: 0, code: "offline", message: "已离线，操作没有提交，恢复连接后请再试一次" });

/** The change was sent, and the line was lost before its answer. */
export const unansweredProblem = () =>
  new ApiError({
    status: 0,
    code: "unanswered",
    message: "连接中断，没有收到结果，恢复连接后请先查看是否已执行",
  });

export const signedOutProblem = () =>
  new ApiError({ status: 401, code: "signed_out", message: "已退出登录" });

/** Any thrown value as an error that a view can show. */
export function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const message = error instanceof Error && error.message ? error.message : "Has Error";
  return new ApiError({ status: 0, code: "unknown", message });
}
