// 组成员: the user's groups (all of them for administrators) and the members of the chosen one. Leaders invite and remove
// members, administrators add them directly and appoint leaders.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useSearchParams } from "react-router";
import { Invitations } from "@/shared/groups/Invitations";
import { isAdmin, useSession } from "@/shared/stores/session";
import { TableSkeleton } from "@/shared/table/TableSkeleton";
import { EmptyPanel } from "@/shared/ui/EmptyPanel";
import { ErrorPanel } from "@/shared/ui/ErrorPanel";
import { PageHeader } from "@/shared/ui/PageHeader";
import { Panel } from "@/shared/ui/Panel";
import { myGroupsQuery } from "./api";
import { GroupChooser } from "./GroupChooser";
import { GroupMembers } from "./GroupMembers";
import styles from "./MembersPage.module.css";

export default function MembersPage() {
  const [address, setAddress] = useSearchParams();
  const [search, setSearch] = useState("");
  const groups = useQuery(myGroupsQuery(search));
  const admin = useSession(isAdmin);
  const items = groups.data?.items ?? [];
  const wanted = Number(address.get("group"));
  const chosen = Number.isInteger(wanted) && wanted > 0 ? wanted : items[0]?.id;

  function choose(group: number) {
    // Another group starts at its first page with nothing searched for.
    setAddress({ group: String(group) }, { replace: true });
  }

  if (!groups.data) {
    return (
      <>
        <PageHeader title="组成员" />
        <Panel>
          {groups.error ? (
            <ErrorPanel title="用户组没有取到" error={groups.error} onRetry={() => void groups.refetch()} />
          ) : (
            <TableSkeleton rows={6} rowHeight={44} />
          )}
        </Panel>
      </>
    );
  }
  if (chosen === undefined && search === "") {
    return (
      <>
        <PageHeader title="组成员" />
        <div className={styles.invitations}>
          <Invitations />
        </div>
        <Panel>
          <EmptyPanel
            icon="users"
            text={admin ? "还没有用户组" : "你还不在任何用户组里"}
            note={admin ? "先在“用户组列表”里新建一个" : "请联系组长邀请你，或联系管理员把你加入"}
          />
        </Panel>
      </>
    );
  }
  return (
    <>
      <PageHeader title="组成员" meta={`${admin ? "共" : "我的"} ${groups.data.total} 个用户组`} />
      <div className={styles.invitations}>
        <Invitations />
      </div>
      <div className={styles.columns}>
        <GroupChooser groups={items} chosen={chosen} search={search} onSearch={setSearch} onChoose={choose} />
        {chosen !== undefined && <GroupMembers key={chosen} id={chosen} />}
      </div>
    </>
  );
}
