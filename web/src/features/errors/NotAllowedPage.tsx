import { ErrorNotice } from "./ErrorNotice";

export default function NotAllowedPage() {
  return (
    <ErrorNotice
      code="401"
      icon="ban"
      title="没有权限"
      note="当前账号不能查看这个页面。如果需要，请联系管理员。"
    />
  );
}
