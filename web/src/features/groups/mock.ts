// A server of groups for tests, typed by the contract. A group named `fail` is taken; user 4 cannot be removed.

import type { PublicUser } from "@/shared/list/people";
import { json, problem } from "@/test-server";
import type { Group, GroupInvitee, GroupMember, HeldFolder } from "./api";

export const people: PublicUser[] = [
  { id: 2, username: "zhangmin", name: "张敏", avatar: "" },
  { id: 3, username: "chenyu", name: "陈宇", avatar: "" },
  { id: 4, username: "lijia", name: "李佳", avatar: "" },
];

export function makeGroup(part: Partial<Group>): Group {
  return {
    id: 5,
    name: "计算机视觉",
    description: "",
    folder: "vision",
    leaders: people.slice(0, 1),
    memberCount: 2,
    instanceLimit: 0,
    GPUNumlimit: 8,
    CPUPeriodQuota: 6_400_000,
    memoryLimit: 0,
    diskQuota: 1024 ** 4,
    created: "2026-01-02T03:04:05.000Z",
    ...part,
  };
}

const makeMember = (user: PublicUser, leader: boolean): GroupMember => ({
  user,
  leader,
  active: true,
  added: "2026-01-02T03:04:05.000Z",
  origin: leader ? "administrator" : "invitation",
});

export const members = [
  ...people.slice(0, 1).map((user) => makeMember(user, true)),
  ...people.slice(1).map((user) => makeMember(user, false)),
];

const days = (count: number) => new Date(Date.now() + count * 86_400_000).toISOString();

export const invitee: GroupInvitee = {
  user: { id: 9, username: "sunhao", name: "孙浩", avatar: "" },
  invitedBy: people[0] ?? null,
  invited: days(0),
  expires: days(30),
};

interface GroupMock {
  invites?: boolean;
  invitees?: GroupInvitee[];
  held?: HeldFolder[];
}

export function makeHeld(part: Partial<HeldFolder> = {}): HeldFolder {
  return {
    id: "h1",
    group: 5,
    groupName: "计算机视觉",
    folder: "vision",
    instance: { id: "i1", name: "ins_zhouhao_GPU2xk7q" },
    owner: { id: 8, username: "zhouhao" },
    since: days(0),
    endsAt: days(1),
    unmounted: true,
    problem: "",
    ...part,
  };
}

export function groupAnswers(
  groups: Group[],
  bodies: unknown[],
  { invites = false, invitees = [invitee], held = [] }: GroupMock = {},
) {
  const take = async (request: Request): Promise<string> => {
    const body = await request.text();
    bodies.push(JSON.parse(body));
    return body;
  };
  return {
    "GET /api/groups": () => json({ items: groups, total: groups.length }),
    "GET /api/instances": () => json({ items: [], total: 0 }),
    "GET /api/groups/5": () => json(makeGroup({})),
    "POST /api/groups": async (request: Request) => {
      if ((await take(request)).includes('"fail"')) {
        const fields = [{ name: "name", message: "用户组名已经被使用" }];
        return json(
          { code: "group_name_taken", message: "用户组名已经被使用", fields, request_id: "req-3" },
          409,
        );
      }
      return json(makeGroup({ id: 6, name: "语音" }), 201);
    },
    "PUT /api/groups/5": async (request: Request) => {
      await take(request);
      return json(makeGroup({}));
    },
    "DELETE /api/groups/5": () => new Response(null, { status: 204 }),
    "GET /api/groups/5/members": () => json({ items: members, total: members.length }),
    "POST /api/groups/5/members": async (request: Request) => {
      const { users } = JSON.parse(await take(request));
      return json(invites ? { changed: 0, invited: users.length } : { changed: 1, invited: 0 });
    },
    "GET /api/groups/5/invitations": () => json({ items: invitees, total: invitees.length }),
    "DELETE /api/groups/5/invitations/9": () => {
      invitees = [];
      return new Response(null, { status: 204 });
    },
    "GET /api/profile/group-invitations": () => json({ items: [], total: 0 }),
    "GET /api/instances/held-folders": () => json({ items: held, total: held.length }),
    "PUT /api/instances/held-folders/h1": async (request: Request) => {
      const { endsAt } = JSON.parse(await take(request));
      return json(makeHeld({ endsAt }));
    },
    "POST /api/instances/held-folders/h1/end": async (request: Request) => {
      await take(request);
      held = [];
      return new Response(null, { status: 202 });
    },
    "DELETE /api/profile/groups/5": () => new Response(null, { status: 204 }),
    "DELETE /api/groups/5/members/3": () => new Response(null, { status: 204 }),
    "DELETE /api/groups/5/members/4": () => problem(409, "conflict", "他还有实例在用这个组的配额"),
    "PUT /api/groups/5/members/3": async (request: Request) => {
      await take(request);
      return new Response(null, { status: 204 });
    },
    "GET /api/users/public": () => json({ items: people, total: people.length }),
  };
}
