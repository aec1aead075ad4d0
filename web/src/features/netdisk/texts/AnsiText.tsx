// Text of a program with the colours of a terminal. Long ones scroll in a box of their own.
import { useMemo } from "react";
import { formatCount } from "@/shared/lib/numbers";
import { type Pen, type Piece, parseLine } from "@/shared/logs/ansi";
import styles from "./AnsiText.module.css";

const mostLines = 3_000;
const longestLine = 20_000;
/** Characters and changes of colour of all lines. */
const mostCharacters = 300_000;
const mostPieces = 20_000;

/** The first lines, and how many are left out. */
function linesOf(text: string) {
  const lines = text.replace(/\n$/, "").split("\n");
  let pen: Pen = {};
  let [characters, pieces] = [0, 0];
  const shown: Piece[][] = [];
  for (const line of lines) {
    const parsed = parseLine(line.replace(/\r$/, "").slice(0, longestLine), pen);
    characters += Math.min(line.length, longestLine);
    pieces += parsed.pieces.length;
    if (shown.length >= mostLines || characters > mostCharacters || pieces > mostPieces) break;
    pen = parsed.pen;
    shown.push(parsed.pieces);
  }
  return { shown, left: lines.length - shown.length };
}

export function AnsiText({ text, error }: { text: string; error: boolean }) {
  const { shown, left } = useMemo(() => linesOf(text), [text]);
  const dark = error || text.includes("\u001b[");
  return (
    <pre
      className={dark ? `${styles.text} ${styles.dark}` : styles.text}
      data-scrolls
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
      tabIndex={0}
    >
      {shown.map((pieces, line) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other name than their place
        <span key={line}>
          {pieces.map((piece, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: pieces have no other name than their place
            <span key={at} style={piece.style}>
              {piece.text}
            </span>
          ))}
          {"\n"}
        </span>
      ))}
      {left > 0 && `… 还有 ${formatCount(left)} 行，请下载后查看`}
    </pre>
  );
}
