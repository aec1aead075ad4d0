// A CSV or TSV as a table, however large: it is read as far as it is scrolled, or to its end when asked.
import { useState } from "react";
import type { Resource } from "../api";
import { useFileQuery } from "../viewing/useFileQuery";
import { ViewState } from "../viewing/ViewState";
import { CsvDesk } from "./CsvDesk";
import { CsvFile } from "./csv-file";
import type { CsvFormat } from "./csv-format";

export function CsvView({ file }: { file: Resource }) {
  const [chosen, setChosen] = useState<Partial<CsvFormat>>(
    /\.tsv$/i.test(file.name) ? { delimiter: "\t" } : {},
  );
  const key = `csv ${chosen.encoding ?? ""} ${JSON.stringify(chosen.delimiter ?? "")}`;
  const { data, error, refetch, dataUpdatedAt } = useFileQuery(file, key, (source) =>
    CsvFile.open(source, chosen),
  );
  return (
    <ViewState file={file} data={data} error={error} onRetry={() => void refetch()}>
      {(csv) => (
        <CsvDesk
          // Opened again, it starts over.
          key={`${key} ${dataUpdatedAt}`}
          csv={csv}
          id={`${file.path} ${dataUpdatedAt} ${key}`}
          size={file.size}
          onReopen={() => void refetch()}
          onFormat={(part) => setChosen({ ...chosen, ...part })}
        />
      )}
    </ViewState>
  );
}
