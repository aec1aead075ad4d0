// One page of a PDF: its image, and over it the text, for selection and screen readers.
import { type PDFDocumentProxy, type PDFPageProxy, TextLayer } from "pdfjs-dist";
import { useEffect, useEffectEvent, useRef, useState } from "react";
import { watchSight } from "@/shared/ui/watch-sight";
import styles from "./PdfView.module.css";

/** Points of 1/72 inch to pixels of 1/96. */
export const pixels = 96 / 72;

interface PdfSheetProps {
  pdf: PDFDocumentProxy;
  number: number;
  /** Until a page is loaded, it is assumed to be as large as the first. */
  like: PDFPageProxy;
  zoom: number;
  onSeen: (number: number) => void;
}

export function PdfSheet({ pdf, number, like, zoom, onSeen }: PdfSheetProps) {
  const sheet = useRef<HTMLElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const text = useRef<HTMLDivElement>(null);
  const [near, setNear] = useState(false);
  const [page, setPage] = useState<PDFPageProxy | null>(null);
  const seen = useEffectEvent(onSeen);
  const { width, height } = (page ?? like).getViewport({ scale: zoom * pixels });

  useEffect(() => {
    const element = sheet.current;
    if (!element) return;
    const leaveNear = watchSight(element, setNear, "100%");
    // The page that crosses the middle is the current one.
    const leaveMiddle = watchSight(element, (inSight) => inSight && seen(number), "-50% 0%");
    return () => {
      leaveNear();
      leaveMiddle();
    };
  }, [number]);

  useEffect(() => {
    if (!near) return;
    let gone = false;
    void pdf.getPage(number).then((loaded) => !gone && setPage(loaded));
    return () => {
      gone = true;
    };
  }, [near, pdf, number]);

  useEffect(() => {
    if (!near || !page || !canvas.current || !text.current) return;
    const viewport = page.getViewport({ scale: zoom * pixels });
    const container = text.current;
    const density = devicePixelRatio;
    container.style.setProperty("--total-scale-factor", String(zoom * pixels));
    const picture = page.render({
      canvas: canvas.current,
      viewport,
      transform: [density, 0, 0, density, 0, 0],
    });
    const layer = new TextLayer({ textContentSource: page.streamTextContent(), container, viewport });
    // Both end with an error when they are cancelled; a page that can't be drawn stays white.
    picture.promise.catch(() => {});
    layer.render().catch(() => {});
    return () => {
      picture.cancel();
      layer.cancel();
      container.replaceChildren();
    };
  }, [near, page, zoom]);

  return (
    <section ref={sheet} className={styles.sheet} style={{ width, height }} aria-label={`第 ${number} 页`}>
      {near && (
        <>
          <canvas
            ref={canvas}
            className={styles.canvas}
            width={Math.floor(width * devicePixelRatio)}
            height={Math.floor(height * devicePixelRatio)}
          />
          <div ref={text} className={styles.text} />
        </>
      )}
    </section>
  );
}
