// 构建镜像, for administrators: a new build, or a waiting, running or finished one with its log.
import { useParams } from "react-router";
import { BuildDesk } from "./BuildDesk";
import { BuildView } from "./BuildView";
import { newBuild } from "./links";

export default function ImageBuildPage() {
  const { id = newBuild } = useParams();
  return id === newBuild ? <BuildDesk /> : <BuildView key={id} id={id} />;
}
