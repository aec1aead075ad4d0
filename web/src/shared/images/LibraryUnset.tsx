// The server's message when the settings name no public library, with the next action.
import { LinkButton } from "@/shared/frame/LinkButton";
import { isAdmin, useSession } from "@/shared/stores/session";
import { EmptyPanel } from "@/shared/ui/EmptyPanel";

export function LibraryUnset({ words }: { words: string }) {
  const admin = useSession(isAdmin);
  return (
    <div role="alert">
      <EmptyPanel
        icon="layers"
        text={words}
        note={admin ? undefined : "请联系管理员"}
        action={admin && <LinkButton to="/settings/basic_setting">去设置</LinkButton>}
      />
    </div>
  );
}
