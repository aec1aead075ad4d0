// The steps for each system, with this device's opened.
import { Button, Collapse } from "antd";
import { Icon } from "@/shared/theme/Icon";
import { Command } from "@/shared/ui/Command";
import { downloadAddress, type Guide, guides, likelyGuide } from "./install-steps";
import styles from "./LabCaPage.module.css";

export function InstallGuides() {
  return (
    <section aria-label="安装步骤">
      <h2>安装步骤</h2>
      <Collapse
        defaultActiveKey={[likelyGuide(navigator.userAgent)]}
        items={guides.map((guide) => ({
          key: guide.key,
          label: guide.title,
          children: <Steps guide={guide} />,
        }))}
      />
    </section>
  );
}

function Steps({ guide: { title, format, file, steps, command } }: { guide: Guide }) {
  return (
    <>
      <Button
        type="primary"
        href={downloadAddress(format)}
        download={file}
        icon={<Icon name="download" size={14} />}
        aria-label={`下载 ${file}，用于 ${title}`}
      >
        下载 {file}
      </Button>
      <ol className={styles.steps}>
        {steps.map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
      {command && <Command text={command} label={`复制 ${title} 的命令`} />}
    </>
  );
}
