import { ErrorNotice } from "./ErrorNotice";

export default function NotFoundPage() {
  return (
    <ErrorNotice code="404" icon="search" title="页面不存在" note="地址可能写错了，或者这个页面已经移走。" />
  );
}
