// Retries failed steps, and changes the plan for unfinished and later things.
import { useQuery } from "@tanstack/react-query";
import { Alert, App, Button, Flex } from "antd";
import { type ReactNode, useState } from "react";
import { PersonSelect } from "@/shared/list/PersonSelect";
import { type DepartureDetail, holdingsQuery, useRetryDeparture } from "./api";
import { ChoiceFields } from "./ChoiceFields";
import { type Added, type Choice, missingOf, newThings, openItems, planWith } from "./draft";
import { kindLabels, type PlannedKind } from "./words";

interface RetryPanelProps {
  /** One that is stuck or in progress. */
  one: DepartureDetail;
  onDone: () => void;
}

export function RetryPanel({ one, onDone }: RetryPanelProps) {
  const { message } = App.useApp();
  const [receiver, setReceiver] = useState<number | undefined>(undefined);
  const [changed, setChanged] = useState<Readonly<Record<number, Choice>>>({});
  const [added, setAdded] = useState<Added>({});
  const holdings = useQuery(holdingsQuery(one.user.id));
  const retry = useRetryDeparture();
  const chosen = Object.keys(changed).length + Object.keys(added).length;
  const isOther = receiver !== undefined || chosen > 0;
  const plan = isOther ? planWith(receiver, one, changed, added) : null;
  const isStuck = one.state === "failed";
  const nothing = !isStuck && one.failed === 0 && !plan ? "没有修改" : undefined;
  const missing = nothing ?? (plan ? missingOf(plan) : undefined);

  const setThing = (kind: PlannedKind, id: string, choice: Choice | null) =>
    setAdded((old) => {
      const { [id]: _, ...others } = old;
      return choice ? { ...others, [id]: { kind, ...choice } } : others;
    });
  const submit = () =>
    retry.mutate(
      { id: one.id, plan },
      {
        onSuccess: () => {
          message.success(isStuck ? "已重新开始办理" : "已修改，继续办理", 1.5);
          setReceiver(undefined);
          setChanged({});
          setAdded({});
          onDone();
        },
      },
    );

  return (
    <Alert
      type={isStuck ? "error" : "info"}
      showIcon
      title={isStuck ? `${one.failed} 项失败，账号还没有删除` : "办理中，没有开始的项可以修改"}
      description={
        <Flex vertical gap={8}>
          <span>
            {isStuck && "按下面的说明处理后重试；"}
            接手的人无法接手时可以换人，也可以换一种处理方式。已经开始的项按原计划办完。
          </span>
          {openItems(one).map(({ number, kind, name, choice }) => (
            <Thing key={number} kind={kind} name={name}>
              <ChoiceFields
                kind={kind}
                name={`${kindLabels[kind]} ${name} `}
                value={changed[number] ?? { action: choice.action }}
                receiver={receiver ?? choice.receiver}
                onChange={(now) => now && setChanged((old) => ({ ...old, [number]: now }))}
              />
            </Thing>
          ))}
          {newThings(one, holdings.data).map(({ kind, id, name }) => (
            <Thing key={id} kind={kind} name={name} note="，办理开始后新增">
              <ChoiceFields
                kind={kind}
                name={`${kindLabels[kind]} ${name} `}
                value={added[id] ?? null}
                undecided="还没有决定"
                receiver={receiver}
                onChange={(choice) => setThing(kind, id, choice)}
              />
            </Thing>
          ))}
          {holdings.error && <span role="alert">名下的资源没有取到：{holdings.error.message}</span>}
          <Flex gap={8} wrap>
            <PersonSelect
              label="换一个接手的人（可不选）"
              width={240}
              value={receiver}
              onChange={setReceiver}
            />
            <Button
              type="primary"
              disabled={missing !== undefined}
              title={missing}
              loading={retry.isPending}
              onClick={submit}
            >
              {isStuck ? "重试" : "保存修改"}
            </Button>
          </Flex>
          {retry.error && <span role="alert">{retry.error.message}</span>}
        </Flex>
      }
    />
  );
}

interface ThingProps {
  kind: PlannedKind;
  name: string;
  note?: string;
  children: ReactNode;
}

function Thing({ kind, name, note = "", children }: ThingProps) {
  return (
    <Flex vertical gap={4} role="group" aria-label={`${kindLabels[kind]} ${name}`}>
      <span>
        {kindLabels[kind]} · {name}
        {note}
      </span>
      {children}
    </Flex>
  );
}
