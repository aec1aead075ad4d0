// The target of a redirect for signing in: leads on to the wanted page, which the guard opens or refuses.
import { Navigate, useSearchParams } from "react-router";
import { addressAfterLogin } from "@/shared/lib/return-to";

export default function AuthRedirectPage() {
  const [search] = useSearchParams();
  return <Navigate to={addressAfterLogin(search.get("redirect"))} replace />;
}
