// The login page: fetches the texts beside the form, signs in, and goes to the requested page.
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useLocation, useNavigate, useSearchParams } from "react-router";
import type { ApiError } from "@/shared/api/problem";
import { publicSettingsQuery, useProductName } from "@/shared/api/public-settings";
import { readLocal, writeLocal } from "@/shared/lib/local-items";
import { addressAfterLogin } from "@/shared/lib/return-to";
import { type Credentials, signIn } from "./api";
import { LoginAside } from "./LoginAside";
import { LoginForm } from "./LoginForm";
import styles from "./LoginPage.module.css";
import { ResetPasswordForm } from "./ResetPasswordForm";

/** An administrator set the password. */
const isReset = (error: ApiError | null) => error?.code === "password_change_required";

export default function LoginPage() {
  const [search] = useSearchParams();
  const navigate = useNavigate();
  const settings = useQuery(publicSettingsQuery).data;
  const productName = useProductName();
  // The right name and password, which another password is still to be chosen for.
  const [reset, setReset] = useState<Credentials | null>(null);
  const { key } = useLocation();
  // The guard comes back here by another navigation if it can't let the person in.
  const [enteredFrom, setEnteredFrom] = useState<string | null>(null);
  const login = useMutation<void, ApiError, Credentials>({
    mutationFn: signIn,
    onSuccess: async (_data, { username }) => {
      writeLocal("loginName", username.trim());
      setEnteredFrom(key);
      await navigate(addressAfterLogin(search.get("redirect")));
    },
    onError: (error, credentials) => {
      if (isReset(error)) setReset(credentials);
    },
  });

  // Also while the frame and the first page load: this form stays in sight until they can be shown.
  const submitting = login.isPending || enteredFrom === key;

  return (
    <div className={styles.page}>
      <LoginAside productName={productName} settings={settings} />
      <main className={styles.main}>
        {reset ? (
          <ResetPasswordForm
            username={reset.username.trim()}
            submitting={submitting}
            error={isReset(login.error) ? null : login.error}
            onSubmit={(newPassword) => login.mutate({ ...reset, newPassword })}
            onBack={() => {
              setReset(null);
              login.reset();
            }}
          />
        ) : (
          <LoginForm
            initialName={readLocal("loginName") ?? ""}
            submitting={submitting}
            error={login.error}
            onSubmit={login.mutate}
          />
        )}
      </main>
    </div>
  );
}
