// One call: a line that expands to its whole documentation.
import { type ReactNode, useState } from "react";
import { type Scope, scopeLabel } from "@/shared/lib/scopes";
import { CopyText } from "@/shared/ui/CopyText";
import styles from "./CallView.module.css";
import type { Call } from "./calls";
import { curlOf } from "./curl";
import type { Content } from "./openapi";
import { schemaText } from "./schema-text";

const who = { public: "任何人，不用登录", "signed-in": "登录的人", administrator: "管理员" };
const places: Readonly<Record<string, string>> = { path: "地址", query: "查询", header: "请求头" };

export function CallView({ call, pointedAt }: { call: Call; pointedAt: boolean }) {
  const [open, setOpen] = useState(pointedAt);
  const [seen, setSeen] = useState(pointedAt);
  if (pointedAt !== seen) {
    setSeen(pointedAt);
    if (pointedAt) setOpen(true);
  }
  return (
    <li id={call.operationId} className={styles.call}>
      <details open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <span className={`${styles.method} ${styles[call.method.toLowerCase()] ?? ""}`}>{call.method}</span>
          <code>{call.path}</code>
          <span className={styles.summary}>{call.title}</span>
        </summary>
        {open && <Details call={call} />}
      </details>
    </li>
  );
}

function Details({ call }: { call: Call }) {
  const { description, parameters = [], requestBody, responses, schemas } = call;
  const curl = curlOf(call);
  const answers = Object.entries(responses);
  return (
    <div className={styles.details}>
      {description && <p>{description}</p>}
      <Part title="谁能调用">
        <p>{accessText(call)}</p>
      </Part>
      {parameters.length > 0 && (
        <Part title="参数">
          <dl className={styles.parameters}>
            {parameters.map((one) => (
              <div key={`${one.in} ${one.name}`}>
                <dt>
                  <code>{one.name}</code>
                  <small>
                    {places[one.in] ?? one.in}
                    {one.required && " · 必填"} · {schemaText(one.schema ?? {}, schemas)}
                  </small>
                </dt>
                {one.description && <dd>{one.description}</dd>}
              </div>
            ))}
          </dl>
        </Part>
      )}
      {requestBody && (
        <Part title="请求体">
          <Bodies content={requestBody.content} call={call} />
        </Part>
      )}
      <Part title="应答">
        <dl className={styles.parameters}>
          {answers.map(([status, answer]) => (
            <div key={status}>
              <dt>
                <code>{status}</code>
                <small>{answer.description}</small>
              </dt>
              {answer.content && (
                <dd>
                  {/* What the platform refuses has one shape everywhere, which the page says at its top. */}
                  {status < "400" ? <Bodies content={answer.content} call={call} /> : <small>Problem</small>}
                </dd>
              )}
            </div>
          ))}
        </dl>
      </Part>
      {curl && (
        <Part title="curl" extra={<CopyText text={curl} label="复制 curl 命令" />}>
          <pre>{curl}</pre>
        </Part>
      )}
    </div>
  );
}

function accessText({ "x-access": { who: whom, scopes } }: Call): string {
  if (whom === "public") return who.public;
  if (scopes.length === 0) return `${who[whom]}；访问令牌不能调用`;
  const labels = scopes.map((scope) => scopeLabel(scope as Scope)).join("、");
  return `${who[whom]}；访问令牌需要这些权限之一：${labels}${whom === "administrator" ? "，并且有“管理员”" : ""}`;
}

function Bodies({ content, call }: { content: Content; call: Call }) {
  return Object.entries(content).map(([kind, { schema }]) => (
    <div key={kind}>
      {kind !== "application/json" && <small>{kind}</small>}
      {schema && <pre>{schemaText(schema, call.schemas)}</pre>}
    </div>
  ));
}

function Part({ title, extra, children }: { title: string; extra?: ReactNode; children: ReactNode }) {
  return (
    <section className={styles.part}>
      <h3>
        {title}
        {extra}
      </h3>
      {children}
    </section>
  );
}
