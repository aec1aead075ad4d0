// A PDF as pdf.js takes it: piece by piece, each request signed afresh, so that the first page of a large file is there
// before the rest. Loaded on demand with the library itself.
import { GlobalWorkerOptions, getDocument, PDFDataRangeTransport, type PDFDocumentProxy } from "pdfjs-dist";
import worker from "pdfjs-dist/build/pdf.worker.min.mjs?url";
import { diskClient } from "@/shared/api/disk-client";

GlobalWorkerOptions.workerSrc = worker;

/**
 * Files that vite.config.ts puts beside the scripts: tables for Chinese, Japanese and Korean text, and the standard
 * fonts.
 */
declare const __PDF_EXTRAS__: string;

class DiskRanges extends PDFDataRangeTransport {
  private readonly stop = new AbortController();

  constructor(
    private readonly host: string,
    private readonly path: string,
    private readonly onFailure: (status: number) => void,
    size: number,
  ) {
    super(size, null);
  }

  override requestDataRange(begin: number, end: number) {
    void this.fetchRange(begin, end);
  }

  override abort() {
    this.stop.abort();
  }

  private async fetchRange(begin: number, end: number) {
    try {
      const { data, response } = await diskClient(this.host).GET("/api/raw/{path}", {
        params: { path: { path: this.path }, header: { Range: `bytes=${begin}-${end - 1}` } },
        parseAs: "arrayBuffer",
        signal: this.stop.signal,
      });
      if (data) this.onDataRange(begin, new Uint8Array(data));
      else this.onFailure(response.status);
    } catch {
      if (!this.stop.signal.aborted) this.onFailure(0);
    }
  }
}

export interface OpenPdf {
  pdf: PDFDocumentProxy;
  close: () => void;
}

export async function openPdf(
  host: string,
  { path, size }: { path: string; size: number },
  onFailure: (status: number) => void,
): Promise<OpenPdf> {
  const range = new DiskRanges(host, path, onFailure, size);
  const task = getDocument({
    range,
    disableAutoFetch: true,
    disableStream: true,
    rangeChunkSize: 256 * 1024,
    cMapUrl: `${__PDF_EXTRAS__}cmaps/`,
    standardFontDataUrl: `${__PDF_EXTRAS__}standard_fonts/`,
    // The page's policy allows neither WebAssembly nor code made at run time.
    useWasm: false,
  });
  const pdf = await task.promise;
  return { pdf, close: () => void task.destroy() };
}
