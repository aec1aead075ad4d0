// Notices for tests, typed by the contract.
import type { Notice } from "./api";

export const notice = (change: Partial<Notice> = {}): Notice => ({
  id: "n1",
  kind: "worksheet_replied",
  group: "worksheets",
  object: "worksheet",
  objectId: "7",
  title: "工单 #12 显存报错",
  words: "admin 回复了工单",
  link: "/profile/worksheet?one=7",
  created: "2026-11-20T10:00:00Z",
  read: null,
  ...change,
});
