// HTTPS: the state of the portal's certificate, where it comes from, and the lab's CA.
import { useQuery } from "@tanstack/react-query";
import { Flex } from "antd";
import { TableSkeleton } from "@/shared/table/TableSkeleton";
import { ErrorPanel } from "@/shared/ui/ErrorPanel";
import { PageHeader } from "@/shared/ui/PageHeader";
import { Panel } from "@/shared/ui/Panel";
import { usePhone } from "@/shared/ui/usePhone";
import { httpsQuery } from "./api";
import { CertificatePanel } from "./CertificatePanel";
import { HttpsFormPanel } from "./HttpsFormPanel";
import { LabCaPanel } from "./LabCaPanel";

export default function HttpsPage() {
  const phone = usePhone();
  const { data, error, refetch } = useQuery(httpsQuery);
  return (
    <>
      <PageHeader title="HTTPS" meta="证书从哪里来，什么时候续期" />
      {data ? (
        <Flex vertical gap={phone ? 12 : 16}>
          <CertificatePanel now={data} />
          {!data.ownFiles && <HttpsFormPanel now={data} />}
          {(data.labCa || data.way === "lab_ca") && <LabCaPanel ca={data.labCa ?? null} names={data.names} />}
        </Flex>
      ) : (
        <Panel label="HTTPS">
          {error ? (
            <ErrorPanel title="HTTPS 的状态没有取到" error={error} onRetry={() => void refetch()} />
          ) : (
            <TableSkeleton rows={8} rowHeight={52} />
          )}
        </Panel>
      )}
    </>
  );
}
