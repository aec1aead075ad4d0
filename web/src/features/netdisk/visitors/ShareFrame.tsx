// The frame of a share: the product's name, the signed-in user, the footer.
import { useQuery } from "@tanstack/react-query";
import { Button } from "antd";
import type { ReactNode } from "react";
import { Link, useLocation, useNavigate } from "react-router";
import { visitorQuery } from "@/shared/api/profile";
import { useProductName } from "@/shared/api/public-settings";
import { signOut } from "@/shared/api/sign-out";
import { storedToken } from "@/shared/api/token";
import { Footer } from "@/shared/frame/Footer";
import { loginAddress } from "@/shared/lib/return-to";
import { Logo } from "@/shared/theme/Logo";
import styles from "./ShareFrame.module.css";

export function ShareFrame({ children }: { children: ReactNode }) {
  const productName = useProductName();
  return (
    <div className={styles.page}>
      <header className={styles.head}>
        <Link to="/" className={styles.product}>
          <Logo size={24} ground="page" />
          <b>{productName}</b>
        </Link>
        <Visitor />
      </header>
      <main className={styles.main}>{children}</main>
      <Footer />
    </div>
  );
}

function Visitor() {
  const visitor = useQuery(visitorQuery(storedToken()));
  const { pathname, search } = useLocation();
  const navigate = useNavigate();
  if (visitor.isPending) return null;
  if (!visitor.data)
    return (
      <Link
        to="/login?redirect=share"
        className={styles.door}
        // Remembers the page to return to; the URL shows only its section.
        onClick={() => loginAddress(pathname + search)}
      >
        登录
      </Link>
    );

  async function leave() {
    await signOut();
    await navigate("/login");
  }
  return (
    <div className={styles.visitor}>
      <span className={styles.name}>{visitor.data.name || visitor.data.username}</span>
      <Button type="link" className={styles.door ?? ""} onClick={() => void leave()}>
        退出登录
      </Button>
    </div>
  );
}

interface ShareCardProps {
  /** The page's heading, where the card has no other one. */
  title?: string;
  children: ReactNode;
}

/** One card across the page: for all states other than the shared content. */
export function ShareCard({ title = "分享", children }: ShareCardProps) {
  return (
    <section className={styles.single}>
      <h1 className={styles.hidden}>{title}</h1>
      {children}
    </section>
  );
}
