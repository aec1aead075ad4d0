// The report of a batch, line by line: the users to create or created, with the generated passwords.
import { Alert, Button, Flex, Table } from "antd";
import { FormAlert } from "@/shared/form/FormAlert";
import { HeadText } from "@/shared/table/ColumnHead";
import { Icon } from "@/shared/theme/Icon";
import { CopyText } from "@/shared/ui/CopyText";
import type { Failure } from "@/shared/ui/failure";
import { StateText } from "@/shared/ui/StateText";
import { saveFile } from "@/shared/ui/save-file";
import type { BatchReport } from "./api";
import styles from "./Import.module.css";
import { type BatchLine, faultsOf, passwordsCsv, passwordsText, withPassword } from "./user-table-text";

interface ImportReportProps {
  report: BatchReport;
  /** False after the check, true after the creation. */
  created: boolean;
  error: Failure | null;
  /** The passwords have been copied or saved. */
  onKept: () => void;
}

export function ImportReport({ report, created, error, onKept }: ImportReportProps) {
  const good = report.lines.filter((line) => line.ok).length;
  const bad = report.lines.length - good;
  const passwords = created && withPassword(report.lines).length > 0;
  return (
    <Flex vertical gap={12}>
      <FormAlert messages={error ? [error.message] : []} />
      <Alert
        type={bad > 0 ? "warning" : created ? "success" : "info"}
        showIcon
        title={
          created
            ? `已创建 ${good} 人${bad > 0 ? `，${bad} 行没有创建` : ""}`
            : `${good} 行可以创建${bad > 0 ? `，${bad} 行有问题，创建时会跳过` : ""}`
        }
      />
      {passwords && (
        <Flex gap={8} align="center" wrap>
          <span>系统生成的初始密码只显示这一次：</span>
          <CopyText text={passwordsText(report.lines)} onCopied={onKept}>
            复制密码
          </CopyText>
          <Button
            icon={<Icon name="download" size={14} />}
            onClick={() => {
              saveFile("初始密码.csv", new Blob([passwordsCsv(report.lines)], { type: "text/csv" }));
              onKept();
            }}
          >
            下载 CSV
          </Button>
        </Flex>
      )}
      <div className={styles.report}>
        <Table<BatchLine>
          aria-label="逐行结果"
          size="small"
          rowKey={(line) => line.line}
          dataSource={report.lines}
          pagination={report.lines.length > 100 ? { pageSize: 100, showSizeChanger: false } : false}
          columns={[
            { title: <HeadText>行</HeadText>, width: 56, render: (_, line) => line.line },
            { title: <HeadText>用户名</HeadText>, render: (_, line) => line.username || "—" },
            {
              title: <HeadText>结果</HeadText>,
              render: (_, line) => <LineResult line={line} created={created} />,
            },
            ...(passwords
              ? [
                  {
                    title: <HeadText>初始密码</HeadText>,
                    render: (_: unknown, line: BatchLine) =>
                      line.ok && <code>{line.password ?? "按表格"}</code>,
                  },
                ]
              : []),
          ]}
        />
      </div>
    </Flex>
  );
}

function LineResult({ line, created }: { line: BatchLine; created: boolean }) {
  if (line.ok) {
    return (
      <StateText icon="success" tone="success">
        {created ? "已创建" : "可以创建"}
      </StateText>
    );
  }
  return (
    <Flex vertical>
      <StateText icon="alert" tone="error">
        有问题
      </StateText>
      <span className={styles.note}>{faultsOf(line)}</span>
    </Flex>
  );
}
