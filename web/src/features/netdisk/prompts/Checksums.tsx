// The digests of a file, each computed only on request, since that reads the whole file.
import { useQuery } from "@tanstack/react-query";
import { App, Button } from "antd";
import { useEffect, useState } from "react";
import { CopyText } from "@/shared/ui/CopyText";
import { type Checksum, checksumQuery, type Item } from "../api";
import { useDisk } from "../disk-context";
import styles from "./InfoPrompt.module.css";

const algorithms: readonly { name: Checksum; label: string }[] = [
  { name: "md5", label: "MD5" },
  { name: "sha1", label: "SHA-1" },
  { name: "sha256", label: "SHA-256" },
  { name: "sha512", label: "SHA-512" },
];

export function Checksums({ item }: { item: Item }) {
  return algorithms.map(({ name, label }) => (
    <OneChecksum key={name} item={item} algo={name} label={label} />
  ));
}

function OneChecksum({ item, algo, label }: { item: Item; algo: Checksum; label: string }) {
  const { host } = useDisk();
  const { message } = App.useApp();
  const [wanted, setWanted] = useState(false);
  const { data, error, isFetching, refetch } = useQuery({
    ...checksumQuery(host, item.path, item.modified, algo),
    enabled: wanted,
  });
  useEffect(() => {
    if (error) message.error(`校验值没有算出来：${error.message}`, 2);
  }, [error, message]);
  return (
    <>
      <dt>{label}</dt>
      <dd className={data && styles.copied}>
        {data ? (
          <>
            <code>{data}</code> <CopyText text={data} label={`复制 ${label}`} />
          </>
        ) : (
          <Button
            size="small"
            loading={isFetching}
            aria-label={`计算 ${label}`}
            onClick={() => (wanted ? void refetch() : setWanted(true))}
          >
            {error ? "重试" : "计算"}
          </Button>
        )}
      </dd>
    </>
  );
}
