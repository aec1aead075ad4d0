// Where a user is signed in, for administrators.
import { useQuery } from "@tanstack/react-query";
import { Drawer } from "antd";
import { drawerClose } from "@/shared/form/drawer-close";
import { signInsQuery } from "@/shared/sign-ins/api";
import { EndAllButton } from "@/shared/sign-ins/EndAllButton";
import { SignInList } from "@/shared/sign-ins/SignInList";
import { usePhone } from "@/shared/ui/usePhone";
import { userQueryById } from "./api";

interface SignInsDrawerProps {
  open: boolean;
  id: number;
  onClose: () => void;
}

export function SignInsDrawer({ open, id, onClose }: SignInsDrawerProps) {
  const phone = usePhone();
  const person = useQuery({ ...userQueryById(id), enabled: open });
  const query = useQuery({ ...signInsQuery(id), enabled: open });
  return (
    <Drawer
      open={open}
      title={`登录设备 ${person.data?.username ?? ""}`}
      size={phone ? "100%" : 480}
      closable={drawerClose}
      destroyOnHidden
      extra={<EndAllButton user={id} disabled={!query.data?.items.length} />}
      onClose={onClose}
    >
      <SignInList user={id} query={query} />
    </Drawer>
  );
}
