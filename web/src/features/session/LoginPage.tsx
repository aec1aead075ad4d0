// The login page: fetches what it says beside the form, signs in, and goes where the address wants.
import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate, useSearchParams } from "react-router";
import { publicSettingsQuery, useProductName } from "@/shared/api/public-settings";
import { readLocal, writeLocal } from "@/shared/lib/local-items";
import { addressAfterLogin } from "@/shared/lib/return-to";
import { signIn } from "./api";
import { LoginAside } from "./LoginAside";
import { LoginForm } from "./LoginForm";
import styles from "./LoginPage.module.css";

export default function LoginPage() {
  const [search] = useSearchParams();
  const navigate = useNavigate();
  const settings = useQuery(publicSettingsQuery).data;
  const productName = useProductName();
  const login = useMutation({
    mutationFn: signIn,
    onSuccess: async (_data, { username }) => {
      writeLocal("loginName", username.trim());
      await navigate(addressAfterLogin(search.get("redirect")));
    },
  });

  return (
    <div className={styles.page}>
      <LoginAside productName={productName} settings={settings} />
      <main className={styles.main}>
        <LoginForm
          initialName={readLocal("loginName") ?? ""}
          submitting={login.isPending}
          error={login.error}
          onSubmit={login.mutate}
        />
      </main>
    </div>
  );
}
