// A PDF, page below page. Only the pages in sight are drawn. Loaded on demand.
import { Button } from "antd";
import type { PDFDocumentProxy, PDFPageProxy } from "pdfjs-dist";
import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react";
import { Icon } from "@/shared/theme/Icon";
import { EmptyPanel } from "@/shared/ui/EmptyPanel";
import type { Resource } from "../api";
import { useDisk } from "../disk-context";
import { PdfSheet, pixels } from "./PdfSheet";
import styles from "./PdfView.module.css";
import { type OpenPdf, openPdf } from "./pdf-source";
import { isTaken } from "./usePreviewKeys";

const steps = [0.5, 0.75, 1, 1.25, 1.5, 2, 3];

/** Left and right of a page, together. */
const margins = 32;

interface Opened {
  pdf: PDFDocumentProxy;
  first: PDFPageProxy;
}

export function PdfView({ file }: { file: Resource }) {
  const { host } = useDisk();
  const { path, size } = file;
  const [opened, setOpened] = useState<Opened | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const [zoom, setZoom] = useState(1);
  /** The base of the zoom: the paper's own size, on a phone the width of the window. */
  const [fit, setFit] = useState(1);
  const [current, setCurrent] = useState(1);
  const scroller = useRef<HTMLDivElement>(null);

  useEffect(() => {
    let open: OpenPdf | null = null;
    let gone = false;
    async function start() {
      try {
        open = await openPdf(host, { path, size }, (status) =>
          setFailure(status === 0 ? "网络中断" : `服务器没有给出内容（${status}）`),
        );
        const first = await open.pdf.getPage(1);
        if (gone) open.close();
        else setOpened({ pdf: open.pdf, first });
      } catch (cause) {
        if (!gone) setFailure(wordsOf(cause));
      }
    }
    void start();
    return () => {
      gone = true;
      open?.close();
    };
  }, [host, path, size]);

  useLayoutEffect(() => {
    if (!opened || !scroller.current) return;
    const width = opened.first.getViewport({ scale: pixels }).width;
    setFit(Math.min(1, (scroller.current.clientWidth - margins) / width));
    scroller.current.focus({ preventScroll: true });
  }, [opened]);

  /** The position of the middle, as a share of the whole, before the zoom changed. */
  const middle = useRef<number | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another zoom makes the pages larger or smaller
  useLayoutEffect(() => {
    const view = scroller.current;
    if (!view || middle.current === null) return;
    view.scrollTop = middle.current * view.scrollHeight - view.clientHeight / 2;
    middle.current = null;
  }, [zoom]);

  useScrollKeys(scroller);

  if (failure)
    return <EmptyPanel icon="filePdf" text="PDF 没有打开" note={`${failure}。可以下载后用别的程序打开`} />;
  if (!opened) return <div className={styles.wait} role="progressbar" aria-label="正在打开 PDF" />;
  const { pdf, first } = opened;

  function go(to: number) {
    const view = scroller.current;
    const page = view?.children[to - 1];
    if (!view || !page) return;
    // Only the pages: `scrollIntoView` would take the page around them along.
    view.scrollTop += page.getBoundingClientRect().top - view.getBoundingClientRect().top;
  }

  function zoomTo(next: number | undefined) {
    const view = scroller.current;
    if (view) middle.current = (view.scrollTop + view.clientHeight / 2) / view.scrollHeight;
    setZoom(next ?? 1);
  }

  const at = steps.indexOf(zoom);
  return (
    <div className={styles.view}>
      <section
        ref={scroller}
        className={styles.scroller}
        aria-label={`PDF，共 ${pdf.numPages} 页`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable for the keyboard (WCAG 2.1.1)
        tabIndex={0}
      >
        {Array.from({ length: pdf.numPages }, (_, index) => (
          <PdfSheet
            // biome-ignore lint/suspicious/noArrayIndexKey: pages have no other name than their number
            key={index}
            pdf={pdf}
            number={index + 1}
            like={first}
            zoom={zoom * fit}
            onSeen={setCurrent}
          />
        ))}
      </section>
      <section className={styles.tools} aria-label="PDF 页面">
        <Tool icon="up" label="上一页" closed={current <= 1} onClick={() => go(current - 1)} />
        <span className={styles.number} aria-live="polite">
          {current} / {pdf.numPages}
        </span>
        <Tool icon="down" label="下一页" closed={current >= pdf.numPages} onClick={() => go(current + 1)} />
        <Tool icon="minus" label="缩小" closed={at <= 0} onClick={() => zoomTo(steps[at - 1])} />
        <span className={styles.number}>{zoom * 100}%</span>
        <Tool
          icon="plus"
          label="放大"
          closed={at >= steps.length - 1}
          onClick={() => zoomTo(steps[at + 1])}
        />
      </section>
    </div>
  );
}

/** The distance that one key scrolls, as a share of the visible part. */
const keySteps: Readonly<Record<string, number>> = {
  PageDown: 0.9,
  PageUp: -0.9,
  End: Number.POSITIVE_INFINITY,
  Home: Number.NEGATIVE_INFINITY,
};

/**
 * These keys scroll wherever the focus is. The browser's own scrolling is animated, and a key during the animation is
 * lost.
 */
function useScrollKeys(scroller: RefObject<HTMLElement | null>) {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const view = scroller.current;
      const step = keySteps[event.key];
      const plain = !(event.ctrlKey || event.metaKey || event.altKey || event.shiftKey);
      if (!view || step === undefined || !plain || event.defaultPrevented || isTaken(event)) return;
      event.preventDefault();
      const top = view.scrollTop + step * view.clientHeight;
      view.scrollTop = Math.min(Math.max(top, 0), view.scrollHeight);
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [scroller]);
}

function wordsOf(cause: unknown): string {
  const name = cause instanceof Error ? cause.name : "";
  if (name === "PasswordException") return "文件有密码保护";
  return name === "InvalidPDFException" ? "文件已损坏，或不是 PDF" : "文件读不出来";
}

interface ToolProps {
  icon: "up" | "down" | "minus" | "plus";
  label: string;
  closed: boolean;
  onClick: () => void;
}

function Tool({ icon, label, closed, onClick }: ToolProps) {
  return (
    <Button
      type="text"
      icon={<Icon name={icon} size={14} />}
      aria-label={label}
      title={label}
      disabled={closed}
      onClick={onClick}
    />
  );
}
