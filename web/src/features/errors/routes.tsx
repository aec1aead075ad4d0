// Error pages: not found, not allowed, and the log of errors on this page.
import type { AppRoute } from "@/shared/lib/app-route";

const notFound = () => import("./NotFoundPage");
const notAllowed = () => import("./NotAllowedPage");

export const routes: AppRoute[] = [
  { path: "/404", meta: { title: "页面不存在", hidden: true }, outside: true, page: notFound },
  { path: "/401", meta: { title: "没有权限", hidden: true }, outside: true, page: notAllowed },
  { path: "/error/404", meta: { title: "页面不存在", hidden: true }, page: notFound },
  { path: "/error/401", meta: { title: "没有权限", hidden: true }, page: notAllowed },
  { path: "/error-log/log", meta: { title: "错误日志", hidden: true }, page: () => import("./ErrorLogPage") },
];
