// The frame around every page for a signed-in user: side menu, top bar, tags, the page itself, footer.
import { Suspense, useEffect, useRef, useState } from "react";
import { Outlet, useLocation } from "react-router";
import { Footer } from "@/shared/frame/Footer";
import { media, useMediaQuery } from "@/shared/lib/use-media-query";
import { setSidebarOpen, useUi } from "@/shared/stores/ui";
import { useCurrentPage } from "../routing/current-page";
import { useRefresh } from "../routing/refresh";
import { allDocks } from "../routing/registry";
import { TagBar } from "../tags/TagBar";
import { ClockNotice } from "./ClockNotice";
import { ConnectionLine } from "./ConnectionLine";
import styles from "./Layout.module.css";
import { MinerNotice } from "./MinerNotice";
import { ProgressLine } from "./ProgressLine";
import { SideMenu } from "./SideMenu";
import { TopBar } from "./TopBar";
import { usePageFocus } from "./usePageFocus";

export default function Layout() {
  const mobile = useMediaQuery(media.mobile);
  const phone = useMediaQuery(media.phone);
  const { sidebarOpen, fixedHeader, tagsView } = useUi();
  const [drawer, setDrawer] = useState(false);
  const page = useCurrentPage();
  const { pathname } = useLocation();
  const refreshKey = useRefresh((refresh) => refresh.key);
  const main = useRef<HTMLElement>(null);
  const [shownPath, setShownPath] = useState(pathname);

  // The drawer closes with the navigation that was made in it.
  if (shownPath !== pathname) {
    setShownPath(pathname);
    setDrawer(false);
  }
  usePageFocus(main, page?.key);

  useEffect(() => {
    if (!drawer) return;
    const close = (event: KeyboardEvent) => event.key === "Escape" && setDrawer(false);
    document.addEventListener("keydown", close);
    return () => document.removeEventListener("keydown", close);
  }, [drawer]);

  const menuOpen = mobile ? drawer : sidebarOpen;
  const fill = page?.route.meta.fill ?? false;
  const frame = [
    styles.frame,
    mobile ? styles.mobile : sidebarOpen ? styles.open : styles.collapsed,
    fill && styles.fill,
  ];

  return (
    <div className={frame.filter(Boolean).join(" ")}>
      <a className={styles.skip} href="#main">
        跳到正文
      </a>
      <SideMenu mobile={mobile} open={menuOpen} onClose={() => setDrawer(false)} />
      <div className={styles.shell} inert={mobile && drawer}>
        <div className={fixedHeader || fill ? styles.headFixed : styles.head}>
          <TopBar
            menuOpen={menuOpen}
            onToggleMenu={() => (mobile ? setDrawer(!drawer) : setSidebarOpen(!sidebarOpen))}
          />
          {tagsView && !phone && <TagBar />}
          <ConnectionLine />
        </div>
        <main id="main" ref={main} tabIndex={-1} className={styles.main}>
          <ClockNotice />
          <MinerNotice />
          <Outlet key={refreshKey} />
        </main>
        {!fill && <Footer />}
      </div>
      <ProgressLine />
      {allDocks.map((Dock, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes
        <Suspense key={index}>
          <Dock />
        </Suspense>
      ))}
    </div>
  );
}
