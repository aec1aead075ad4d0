// The state of the certificate: whether it can be used, when it is renewed, and failures with advice.
import { Alert, App, Button, Flex } from "antd";
import { minuteTime } from "@/shared/lib/time";
import { Checks } from "@/shared/ui/Checks";
import { Command } from "@/shared/ui/Command";
import { Panel } from "@/shared/ui/Panel";
import { StateText } from "@/shared/ui/StateText";
import { TimeText } from "@/shared/ui/TimeText";
import { type HttpsOverview, useCheckNames, useOrderNow } from "./api";
import styles from "./Https.module.css";
import { daysUntil, lacksPort, stateOf } from "./words";

export function CertificatePanel({ now }: { now: HttpsOverview }) {
  const { tone, icon, title, advice } = stateOf(now);
  const managed = now.way !== "off" && !now.ownFiles;
  return (
    <Panel title="证书" extra={managed && <Actions now={now} />} padded>
      <div className={styles.state} role="status">
        <StateText tone={tone} icon={icon}>
          {title}
        </StateText>
        {advice && <p>{advice}</p>}
      </div>
      {managed && !now.tries.running && now.tries.error && <Failure now={now} />}
      {managed && <Certificate now={now} />}
      {lacksPort(now) && <PortHelp />}
      {managed && <NameChecks />}
    </Panel>
  );
}

function Actions({ now: { certificate, tries } }: { now: HttpsOverview }) {
  const { message } = App.useApp();
  const order = useOrderNow();
  return (
    <Button
      disabled={tries.running}
      title={tries.running ? "正在申请" : undefined}
      loading={order.isPending}
      onClick={() =>
        order.mutate(undefined, {
          onSuccess: () => message.success("已开始申请", 1.5),
          onError: (error) => message.error(error.message, 2),
        })
      }
    >
      {tries.error ? "立即重试" : certificate ? "立即续期" : "立即申请"}
    </Button>
  );
}

function Failure({ now: { tries } }: { now: HttpsOverview }) {
  const next = tries.nextTry ? `，${minuteTime(tries.nextTry)} 自动再试` : "";
  return (
    <Alert
      type="error"
      showIcon
      className={styles.failure}
      title={`申请失败 ${tries.failures} 次${next}`}
      description={tries.error}
    />
  );
}

function Certificate({ now: { certificate, now } }: { now: HttpsOverview }) {
  if (!certificate) return null;
  return (
    <dl className={styles.facts}>
      <dt>域名</dt>
      <dd>{certificate.names.join("、")}</dd>
      <dt>签发者</dt>
      <dd>{certificate.issuer}</dd>
      <dt>有效期到</dt>
      <dd>
        <TimeText time={certificate.notAfter} full />
        （还有 {Math.max(0, daysUntil(certificate.notAfter, now))} 天）
      </dd>
      <dt>自动续期</dt>
      <dd>
        <TimeText time={certificate.renewAfter} full /> 起
      </dd>
      <dt>SHA-256</dt>
      <dd className={styles.fingerprint}>{certificate.fingerprint}</dd>
    </dl>
  );
}

const configLine = 'https_listen = "0.0.0.0:443"';

function PortHelp() {
  return (
    <div className={styles.help}>
      <p>
        平台还没有监听 HTTPS 端口。在配置文件（安装的程序是
        /etc/yunlab/yunlab.toml）里加上这一行，再重启服务。用 ACME 时还要把 listen 改成 80 端口：
      </p>
      <Command text={configLine} label="复制这一行配置" />
    </div>
  );
}

function NameChecks() {
  const check = useCheckNames();
  return (
    <div className={styles.checks}>
      <Flex gap={8} align="center" wrap>
        <Button loading={check.isPending} onClick={() => check.mutate()}>
          检查域名
        </Button>
        <span className={styles.note}>从平台所在的机器解析并访问每个域名；检查的是已保存的设置</span>
      </Flex>
      <div aria-live="polite">
        {check.error && (
          <Alert type="error" showIcon title={check.error.message} className={styles.failure} />
        )}
        {check.data?.items.map(({ name, findings }) => (
          <section key={name} aria-label={`${name} 的检查结果`}>
            <h3 className={styles.name}>{name}</h3>
            <Checks
              checks={findings.map(({ fine, words }, index) => ({
                name: `${index}`,
                title: words,
                outcome: fine ? "passed" : "failed",
                detail: "",
              }))}
            />
          </section>
        ))}
      </div>
    </div>
  );
}
