// The typed client of the storage host, which may be another one than the portal. Its 403 concerns one file and ends no
// session; its 401 does. Its errors are one line of English for programs; people get Chinese ones.
import createClient from "openapi-fetch";
import { unwrap } from "./client";
import type { components, paths } from "./disk";
import { ApiError, asApiError } from "./problem";
import { bodyLimitWords, isProxyLimit } from "./proxies";
import { plainFetch, signedFetch } from "./signed-fetch";

/** The storage host's address, absolute and without a slash at the end; `/disk` means this page's own origin. */
export function diskBase(storageHost: string): string {
  return new URL(storageHost, location.origin).href.replace(/\/+$/, "");
}

/** A name's UTF-8 bytes as one segment. A lone surrogate, which cannot be encoded, becomes U+FFFD. */
function encodeName(name: string): string {
  return encodeURIComponent(name.replace(/\p{Surrogate}/gu, "\uFFFD"));
}

/** A path for an address. Nothing else encodes names. */
export const encodePath = (path: string) => path.split("/").map(encodeName).join("/");

/** Why the storage host refused something. */
export type DiskReason = components["schemas"]["DiskReason"];

type Fetch = (request: Request) => Promise<Response>;

function makeClient(storageHost: string, fetch: Fetch) {
  return createClient<paths>({
    baseUrl: diskBase(storageHost),
    fetch,
    headers: { accept: "application/json" },
    // The generator's own would encode the slashes of a path.
    pathSerializer: (template, values) =>
      template.replace(/\{(\w+)\}/g, (_, name: string) => {
        const value = String(values[name]);
        return name === "path" ? encodePath(value).replace(/^\//, "") : encodeURIComponent(value);
      }),
  });
}

const clients = new Map<string, ReturnType<typeof makeClient>>();

export function diskClient(storageHost: string) {
  const signed: Fetch = (request) => signedFetch(request, { endedBy: [401] });
  const known = clients.get(storageHost) ?? makeClient(storageHost, signed);
  clients.set(storageHost, known);
  return known;
}

/** For public calls. The host may come from a stranger's link, so it never gets the login token. */
export const visitorsDiskClient = (storageHost: string) => makeClient(storageHost, plainFetch);

const words: Record<number, string> = {
  400: "服务器不接受这个请求",
  401: "登录已过期",
  403: "没有权限",
  404: "文件或文件夹不存在",
  409: "已有同名的文件或文件夹",
  412: "内容已被别人修改",
  413: "文件比申报的大",
  423: "文件正在使用，请稍后再试",
  429: "操作太频繁，请稍后再试",
  503: "网盘暂时不可用，请稍后再试",
  507: "空间不足",
};

/** Reasons that people can do something about; the others are mistakes of programs. */
const reasons: Partial<Record<DiskReason, string>> = {
  quota_exceeded: "超出网盘配额",
  disk_full: "磁盘已满",
  locked: "文件被其他人通过 WebDAV 锁定，请稍后再试",
  folder_there: "同名的是一个文件夹",
  file_there: "同名的是一个文件",
  name_too_long: "名称太长",
  too_deep: "文件夹层级太深",
  stopping: "服务器正在停止，请稍后再试",
  into_itself: "不能放进自己里面",
  body_ended: "传输中断",
  is_folder: "这是一个文件夹",
  onto_parent: "不能覆盖它所在的文件夹",
  too_many_links:
    "分享链接已达每人的上限，请先删除不用的，或请管理员在“系统设置 → 网盘设置 → 全局设置”里调高“每人分享链接数”",
  link_full: "链接已收满，不再接收文件",
  no_room: "对方的空间不足",
  filename_unfit: "文件名不能使用，请改名后再试",
  password_long: "密码太长",
  password_short: "密码至少 4 个字符",
  other_file_system: "原来的位置现在是另一块磁盘，不能恢复到那里",
  no_archive: "不是能解压的压缩包，或者内容不完整",
  archive_damaged: "压缩包已损坏，或者内容不完整",
  archive_encrypted: "压缩包有密码，不能在这里解压，请下载后解压",
  archive_unsupported: "压缩包用了不支持的压缩方式，请下载后解压",
  archive_memory: "解压它需要的内存太多，请下载后解压",
  archive_entries: "压缩包里的文件太多",
  archive_bomb: "压缩包解开后大得不正常，已停止解压",
  interrupted: "服务重启，任务已中断，请重新发起",
  no_account: "平台上没有这个用户名",
  no_sandbox: "这台存储服务器不能隔离命令（缺少 bubblewrap），命令行不能开启",
};

/** The header of a refusal with the code of its reason. */
export const reasonHeader = "disk-reason";

const isKnown = (code: string): code is DiskReason => Object.hasOwn(reasons, code);

/** The Chinese message for a refusal: its status, its line of text, and the code of its reason, if it has one. */
export function diskWords(status: number, line: string, code: string | null | undefined): string {
  if (isProxyLimit(status, line)) return bodyLimitWords;
  if (code && isKnown(code)) return reasons[code] ?? "";
  const general = words[status];
  if (!general) return `服务器出错（${status}）`;
  const detail = /\(([^)]*)\)\s*$/.exec(line)?.[1] ?? "";
  return status === 400 && detail ? `${general}（${detail}）` : general;
}

/** The data with the response's headers, for callers that need both. */
export async function askDiskAnswer<T>(
  call: Parameters<typeof unwrap<T>>[0],
): Promise<{ data: T; headers: Headers }> {
  const answer = call.catch((cause: unknown) => {
    throw asApiError(cause);
  });
  const data = await askDisk(answer);
  return { data, headers: (await answer).response.headers };
}

/** The data of an answer, or an `ApiError` in words for people. */
export async function askDisk<T>(call: Parameters<typeof unwrap<T>>[0]): Promise<T> {
  try {
    return await unwrap(call);
  } catch (cause) {
    const error = asApiError(cause);
    if (error.status === 0) throw error;
    const { status, code, fields, requestId, retryAfter, response } = error;
    throw new ApiError({
      status,
      code,
      fields,
      requestId,
      message: diskWords(status, error.message, response?.headers.get(reasonHeader)),
      ...(retryAfter && { retryAfter }),
      ...(response && { response }),
    });
  }
}
