// 测试连接: tries the form's settings step by step, and shows the person found.
import { Button, Flex, Form, Input } from "antd";
import { useContext, useRef, useState } from "react";
import { FormAlert } from "@/shared/form/FormAlert";
import { RecountFaults, useServerFaults } from "@/shared/form/form-faults";
import { type LdapReport, useCheckLdap } from "./api";
import { type AuthForm, authFormName, ldapUpdate } from "./auth-form";
import styles from "./LdapCheck.module.css";
import { TestReport } from "./TestReport";

type Step = LdapReport["steps"][number];

const titles: Record<Step["step"], string> = {
  connect: "连接",
  tls: "加密",
  bind: "绑定账号",
  search: "查找范围",
  user: "用户",
  groups: "用户组映射",
};

interface LdapCheckProps {
  groups: { value: number; label: string }[];
}

export function LdapCheck({ groups }: LdapCheckProps) {
  const form = Form.useFormInstance<AuthForm>();
  const [username, setUsername] = useState("");
  const check = useCheckLdap();
  const elsewhere = useServerFaults(form, check.error, useContext(RecountFaults), authFormName);
  const tried = useRef("");
  // Triggers a render on each change of the form.
  const now = JSON.stringify(Form.useWatch(["ldap"], { form, preserve: true }));

  async function run() {
    try {
      await form.validateFields();
    } catch {
      // The form shows the faults.
      return;
    }
    tried.current = now;
    check.mutate({ ldap: ldapUpdate(form.getFieldsValue(true).ldap), username: username.trim() });
  }

  return (
    <>
      <Form.Item
        label="测试"
        htmlFor="ldap-check-username"
        extra="用现在填的设置测试，不会保存；用户名可以不填"
      >
        <Flex gap={8} wrap>
          <Input
            id="ldap-check-username"
            className={styles.username}
            placeholder="要查找的用户名"
            maxLength={64}
            spellCheck={false}
            autoComplete="off"
            value={username}
            onChange={({ target }) => setUsername(target.value)}
            onPressEnter={(event) => {
              // Not the form's own button.
              event.preventDefault();
              void run();
            }}
          />
          <Button loading={check.isPending} onClick={() => void run()}>
            测试连接
          </Button>
        </Flex>
      </Form.Item>
      <FormAlert messages={elsewhere} />
      <div aria-live="polite">
        {check.data && !check.isPending && (
          <Report report={check.data} groups={groups} outdated={tried.current !== now} />
        )}
      </div>
    </>
  );
}

function Report({ report, groups, outdated }: LdapCheckProps & { report: LdapReport; outdated: boolean }) {
  const { ok, steps, person } = report;
  return (
    <TestReport
      ok={ok}
      steps={steps.map((step) => ({ ...step, title: titles[step.step] }))}
      outdated={outdated}
    >
      {person && <Person person={person} groups={groups} />}
    </TestReport>
  );
}

function Person({ person, groups }: LdapCheckProps & { person: NonNullable<LdapReport["person"]> }) {
  const named = person.groups.map((id) => groups.find(({ value }) => value === id)?.label ?? `${id}`);
  const facts = [
    ["目录条目", person.dn],
    ["用户名", person.username],
    ["姓名", person.name],
    ["邮箱", person.email],
    ["手机", person.phone],
    ["用户组", named.join("、")],
  ];
  return (
    <dl className={styles.person}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value || "—"}</dd>
        </div>
      ))}
    </dl>
  );
}
