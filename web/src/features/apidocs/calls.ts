// The calls of both documents, by subject, and finding some of them.
import { queryOptions } from "@tanstack/react-query";
import { asApiError, problemOf } from "@/shared/api/problem";
import { plainFetch } from "@/shared/api/signed-fetch";
import { callTitles } from "./call-titles";
import type { OpenApi, Operation, Schemas } from "./openapi";

export const documents = [
  { name: "portal", title: "平台接口", base: "" },
  { name: "disk", title: "网盘接口", base: "/disk" },
] as const;

type DocumentName = (typeof documents)[number]["name"];

export interface Call extends Operation {
  /** What it does, in a few words. */
  title: string;
  method: string;
  /** From the server's address on. */
  path: string;
  schemas: Schemas;
}

export interface Subject {
  /** Also its anchor on the page. */
  key: string;
  document: DocumentName;
  title: string;
  calls: Call[];
}

const titles: Record<DocumentName, Readonly<Record<string, string>>> = {
  portal: {
    session: "登录与票据",
    profile: "令牌与应用密码",
    users: "用户",
    groups: "用户组",
    instances: "实例",
    terminals: "终端",
    images: "镜像",
    datasets: "数据集",
    servers: "服务器",
    gpus: "显卡",
    allocations: "分配",
    worksheets: "工单",
    notices: "通知",
    announcements: "公告",
    dashboard: "首页",
    usage: "用量",
    findings: "异常行为",
    logs: "日志",
    settings: "设置",
    duties: "后台任务与时钟",
    update: "更新",
    broadcast: "广播",
    health: "健康",
  },
  disk: {
    resources: "文件与文件夹",
    raw: "内容与下载",
    tus: "分片上传",
    search: "搜索",
    preview: "预览",
    shares: "分享",
    public: "公开的分享",
    trash: "回收站",
    tasks: "任务",
    usage: "用量",
    users: "网盘用户",
    settings: "网盘设置",
    command: "命令",
    health: "健康",
  },
};

async function load(name: DocumentName): Promise<OpenApi> {
  const address = new URL(`/api/openapi/${name}.json`, location.origin);
  const response = await plainFetch(new Request(address));
  if (!response.ok) throw problemOf(response, null);
  return response.json();
}

/** Both documents; they change with the program only. */
export const subjectsQuery = queryOptions({
  queryKey: ["api-documents"],
  queryFn: async () => {
    try {
      const loaded = await Promise.all(documents.map(({ name }) => load(name)));
      return documents.flatMap(({ name, base }, at) => subjectsOf(name, base, loaded[at]));
    } catch (error) {
      throw asApiError(error);
    }
  },
  staleTime: Number.POSITIVE_INFINITY,
});

/** By subject, in the order of the titles; what has no title comes last under its own name. */
export function subjectsOf(document: DocumentName, base: string, openapi: OpenApi | undefined): Subject[] {
  const found = new Map<string, Call[]>(Object.keys(titles[document]).map((tag) => [tag, []]));
  const { paths = {}, components = { schemas: {} } } = openapi ?? {};
  for (const [path, item] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(item)) {
      const tag = operation.tags?.[0] ?? "";
      const call = {
        ...operation,
        title: callTitles[operation.operationId] ?? operation.summary ?? "",
        method: method.toUpperCase(),
        path: base + path,
        schemas: components.schemas,
      };
      found.set(tag, [...(found.get(tag) ?? []), call]);
    }
  }
  return Array.from(found)
    .filter(([, calls]) => calls.length > 0)
    .map(([tag, calls]) => ({
      key: `${document}-${tag}`,
      document,
      title: titles[document][tag] ?? tag,
      calls,
    }));
}

/** The calls in which every word stands: in verb, address, name, subject or what they do. */
export function matching(subjects: readonly Subject[], query: string): Subject[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return subjects
    .map((subject) => ({
      ...subject,
      calls: subject.calls.filter(({ method, path, operationId, title, summary }) => {
        const text = [method, path, operationId, title, summary, subject.title].join(" ").toLowerCase();
        return words.every((word) => text.includes(word));
      }),
    }))
    .filter(({ calls }) => calls.length > 0);
}
