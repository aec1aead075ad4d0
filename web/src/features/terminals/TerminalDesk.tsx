// The common part of the pages with terminals: the tabs, the shown screen with its search, the state of its connection,
// the status line, and a phone's extra keys.
import { type ReactNode, useEffect, useRef, useState } from "react";
import { media, useMediaQuery } from "@/shared/lib/use-media-query";
import { useScheme } from "@/shared/theme/use-scheme";
import { usePhone } from "@/shared/ui/usePhone";
import { DeskHeader } from "./DeskHeader";
import { deskColors } from "./desk-colors";
import { ExtraKeys } from "./ExtraKeys";
import { LineBar } from "./LineBar";
import { schemeOf, useLooks } from "./looks";
import { SearchBox } from "./SearchBox";
import { StatusLine } from "./StatusLine";
import { placeAt, screenOf, setScreenLooks, type Terminal, useTerminals } from "./sessions";
import styles from "./TerminalDesk.module.css";
import { TerminalScreen } from "./TerminalScreen";
import { TerminalTabs } from "./TerminalTabs";
import { useRoomAboveKeyboard } from "./useRoomAboveKeyboard";

interface TerminalDeskProps {
  /** The page's address: its terminals are found by it. */
  place: string;
  title: string;
  /** Beside the title: state and facts. */
  about?: ReactNode;
  /** Further buttons at the right of the head. */
  actions?: ReactNode;
  /** Opens another terminal. */
  more: ReactNode;
  /** Shown instead of the screen, for a message or question. */
  cover: (terminal: Terminal) => ReactNode;
  /** Without any terminal. */
  empty: ReactNode;
}

export function TerminalDesk({ place, title, about, actions, more, cover, empty }: TerminalDeskProps) {
  const { terminals, active } = useTerminals(placeAt(place));
  const searches = useTerminals((state) => state.searches);
  const leaves = useTerminals((state) => state.leaves);
  const looks = useLooks();
  const pageScheme = useScheme();
  const touch = useMediaQuery(media.touch);
  const phone = usePhone();
  const desk = useRef<HTMLElement>(null);
  const head = useRef<HTMLDivElement>(null);
  const [searching, setSearching] = useState(false);
  const [seen, setSeen] = useState({ searches, leaves });
  const scheme = schemeOf(looks, pageScheme);
  const shown = terminals.find(({ id }) => id === active);
  const covered = shown && cover(shown);
  useRoomAboveKeyboard(desk);

  if (searches !== seen.searches) {
    setSeen({ searches, leaves });
    setSearching(true);
  }

  useEffect(() => {
    setScreenLooks({ fontSize: looks.fontSize, screenReader: looks.screenReader, scheme });
  }, [looks.fontSize, looks.screenReader, scheme]);

  // Out of the screen, which takes every key but this.
  const leftBefore = useRef(leaves);
  useEffect(() => {
    if (leaves !== leftBefore.current) head.current?.querySelector("button")?.focus();
    leftBefore.current = leaves;
  }, [leaves]);

  function endSearch() {
    setSearching(false);
    if (!shown) return;
    screenOf(shown.id)?.endSearch();
    screenOf(shown.id)?.focus();
  }

  return (
    <section ref={desk} className={styles.desk} aria-label={title} style={deskColors(scheme)}>
      <DeskHeader
        ref={head}
        title={title}
        about={about}
        actions={actions}
        shown={shown}
        desk={desk}
        searching={searching}
        onSearch={() => (searching ? endSearch() : setSearching(true))}
      />
      <div className={styles.dark}>
        <TerminalTabs place={place} terminals={terminals} active={active} more={more} />
        <div className={styles.stage}>
          {terminals.length === 0 && empty}
          {shown && searching && !covered && (
            <SearchBox key={`search ${shown.id}`} terminal={shown} onClose={endSearch} />
          )}
          {shown && <TerminalScreen key={`screen ${shown.id}`} id={shown.id} covered={Boolean(covered)} />}
          {covered && <div className={styles.cover}>{covered}</div>}
        </div>
        {shown && !covered && <LineBar terminal={shown} number={numberOf(terminals, shown)} />}
        {shown && <StatusLine terminal={shown} number={numberOf(terminals, shown)} />}
        {shown && !covered && (touch || phone) && <ExtraKeys id={shown.id} />}
      </div>
    </section>
  );
}

/** A tab's number is its position. */
const numberOf = (terminals: readonly Terminal[], one: Terminal) => terminals.indexOf(one) + 1;
