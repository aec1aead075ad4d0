// 创建实例: one page with three blocks and a summary. The initial choice is made once, when servers and quotas are known;
// refetches only change what is free, never a choice.
import { useQuery } from "@tanstack/react-query";
import { ConfigProvider } from "antd";
import { useState } from "react";
import { useNavigate, useSearchParams } from "react-router";
import { dashboardQuery, type Quotas } from "@/shared/api/dashboard";
import type { ApiError } from "@/shared/api/problem";
import { allServersQuery, type ServerView } from "@/shared/compute/api";
import { links } from "@/shared/compute/links";
import { useSettled } from "@/shared/lib/use-settled";
import { TableSkeleton } from "@/shared/table/TableSkeleton";
import { EmptyPanel } from "@/shared/ui/EmptyPanel";
import { ErrorPanel } from "@/shared/ui/ErrorPanel";
import { PageHeader } from "@/shared/ui/PageHeader";
import { Panel } from "@/shared/ui/Panel";
import { createCheckQuery, type RecentImage, recentImagesQuery, useCreateInstance } from "../api";
import styles from "./CreatePage.module.css";
import { type Draft, firstDraft, toCheck, toForm, whatIsMissing } from "./draft";
import { ImageBlock } from "./ImageBlock";
import { OptionsBlock } from "./OptionsBlock";
import { Summary } from "./Summary";
import { WhereBlock } from "./WhereBlock";

export default function CreatePage() {
  const servers = useQuery(allServersQuery);
  const dashboard = useQuery({ ...dashboardQuery, refetchInterval: 15_000 });
  const images = useQuery(recentImagesQuery);
  const error = servers.error ?? dashboard.error;
  const ready = servers.data && dashboard.data && (images.data ?? images.error);
  return (
    <>
      <PageHeader title="创建实例" meta="选好镜像即可创建" />
      {ready && servers.data && dashboard.data ? (
        servers.data.items.length === 0 ? (
          <Panel>
            <EmptyPanel
              icon="server"
              text="还没有可用的服务器"
              note="服务器由管理员添加并分配；分配给你之后就能创建实例"
            />
          </Panel>
        ) : (
          <CreateForm
            servers={servers.data.items}
            quotas={dashboard.data.quotas}
            images={images.data ?? []}
          />
        )
      ) : (
        <Panel label="创建实例">
          {error ? (
            <ErrorPanel
              title="服务器和配额没有取到"
              error={error}
              onRetry={() => void Promise.all([servers.refetch(), dashboard.refetch()])}
            />
          ) : (
            <TableSkeleton rows={6} rowHeight={40} />
          )}
        </Panel>
      )}
    </>
  );
}

interface CreateFormProps {
  servers: readonly ServerView[];
  quotas: Quotas;
  images: readonly RecentImage[];
}

/** The server's faults, by the API's field names; those without a field are shown at the button. */
export type Faults = Readonly<Record<string, string>>;

/** Whether it says that this form can't be carried out, and not that the question got no answer. */
const isRefusal = ({ status, code }: ApiError) =>
  status === 409 || status === 422 || code === "server_unreachable";

function faultsOf(error: ApiError | null): Faults {
  if (!error) return {};
  if (error.fields.length === 0) return { create: error.message };
  return Object.fromEntries(error.fields.map(({ name, message }) => [name, message]));
}

/** The server is asked about choices that stood for so long. */
const SETTLED_MS = 300;

function CreateForm({ servers, quotas, images }: CreateFormProps) {
  const [address] = useSearchParams();
  const navigate = useNavigate();
  const create = useCreateInstance();
  const [draft, setDraft] = useState<Draft>(() =>
    firstDraft({
      servers,
      quotas,
      image: address.get("image") ?? images[0]?.image ?? "",
      server: address.get("server"),
      gpu: address.get("gpu"),
      dataset: address.get("dataset"),
    }),
  );
  const server = servers.find(({ id }) => id === draft.server);
  const asked = toCheck(draft, server, quotas);
  const settled = useSettled(asked, SETTLED_MS);
  const check = useQuery(createCheckQuery(settled));
  const refusal = settled === asked && check.error && isRefusal(check.error) ? check.error : null;
  const faults = faultsOf(create.error ?? refusal);
  const reason = whatIsMissing(draft, server) ?? refusal?.message;

  function change(part: Partial<Draft>) {
    setDraft((old) => ({ ...old, ...part }));
    // The refused input was changed; the next try is judged again.
    if (create.error) create.reset();
  }

  function submit() {
    if (!server) return;
    create.mutate(toForm(draft, server, quotas, new Date()), {
      onSuccess: ({ id }) => void navigate(links.instance(id)),
    });
  }

  const block = { draft, faults, onChange: change };
  return (
    <ConfigProvider componentSize="medium">
      <div className={styles.columns}>
        <div className={styles.blocks}>
          <WhereBlock {...block} servers={servers} server={server} quotas={quotas} />
          <ImageBlock {...block} server={server} images={images} />
          <OptionsBlock {...block} />
        </div>
        <Summary
          {...block}
          server={server}
          quotas={quotas}
          reason={reason}
          submitting={create.isPending}
          onSubmit={submit}
        />
      </div>
    </ConfigProvider>
  );
}
