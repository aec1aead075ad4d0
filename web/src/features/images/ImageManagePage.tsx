// 镜像管理: saved and built images that the user may see, and the running jobs.
import { useQuery } from "@tanstack/react-query";
import { App, Button, Checkbox } from "antd";
import { useState } from "react";
import { useNavigate } from "react-router";
import { type Image, imagesQuery } from "@/shared/images/api";
import { visibilityOptions } from "@/shared/images/visibility";
import { listSource } from "@/shared/list/list-source";
import { useListParams } from "@/shared/list/use-list-params";
import { usePanel } from "@/shared/list/use-panel";
import { isAdmin, useSession } from "@/shared/stores/session";
import { DataTable } from "@/shared/table/DataTable";
import { FilterSelect } from "@/shared/table/FilterSelect";
import { RowActions } from "@/shared/table/RowActions";
import { Icon } from "@/shared/theme/Icon";
import { PageHeader } from "@/shared/ui/PageHeader";
import { usePushImage } from "./api";
import { DeleteImage } from "./DeleteImage";
import { EditImageDrawer } from "./EditImageDrawer";
import { ImageCard, imageColumns } from "./ImageCells";
import { JobsPanel } from "./JobsPanel";
import { buildLink, createLink, infoLink, libraryLink } from "./links";
import { PullDrawer } from "./PullDrawer";

const panels = ["pull", "edit"] as const;
const filters = ["visibility", "mine"] as const;

export default function ImageManagePage() {
  const list = useListParams({ sort: "created", order: "desc", filters });
  const panel = usePanel(panels);
  const images = useQuery(imagesQuery(list));
  const admin = useSession(isAdmin);
  const navigate = useNavigate();
  const { message } = App.useApp();
  const push = usePushImage();
  const [pulled, setPulled] = useState("");
  const [deleting, setDeleting] = useState<Image | null>(null);

  function pull(image: string) {
    setPulled(image);
    panel.show("pull");
  }

  const send = (image: Image) =>
    push.mutate(image.id, {
      onSuccess: () => message.success("开始推送，进度在“任务”里", 1.5),
      onError: (error) => message.error(error.message, 2),
    });

  const actions = (image: Image) => {
    const disabledReason = image.editable ? undefined : "只有所有者和管理员可以";
    return (
      <RowActions
        name={image.image}
        first={[{ key: "create", label: "创建实例", onClick: () => navigate(createLink(image.image)) }]}
        more={[
          { key: "info", label: "详情", onClick: () => navigate(infoLink({ id: image.id })) },
          { key: "pull", label: "拉取到服务器", onClick: () => pull(image.image) },
          {
            key: "push",
            label: "推送到镜像仓库",
            disabledReason: image.where.some(({ kind }) => kind === "registry")
              ? "已经在镜像仓库里"
              : disabledReason,
            onClick: () => send(image),
          },
          {
            key: "edit",
            label: "编辑",
            disabledReason,
            onClick: () => panel.show("edit", image.id),
          },
          { key: "delete", label: "删除", danger: true, disabledReason, onClick: () => setDeleting(image) },
        ]}
      />
    );
  };

  return (
    <>
      <PageHeader
        title="镜像管理"
        meta={images.data && `共 ${images.data.total} 个镜像`}
        actions={
          <>
            <Button icon={<Icon name="download" size={14} />} onClick={() => pull("")}>
              拉取镜像
            </Button>
            {admin && (
              <Button
                type="primary"
                icon={<Icon name="plus" size={14} />}
                onClick={() => navigate(buildLink())}
              >
                构建镜像
              </Button>
            )}
          </>
        }
      />
      <JobsPanel />
      <DataTable<Image>
        id="images"
        label="镜像列表"
        unit="个"
        rowKey={(image) => image.id}
        columns={[
          ...imageColumns,
          { key: "actions", title: "操作", align: "right", always: true, render: actions },
        ]}
        source={listSource(images)}
        list={list}
        card={(image) => <ImageCard image={image} actions={actions(image)} />}
        filters={{
          search: { placeholder: "名称、说明、所有者", value: list.q, onSearch: list.setSearch },
          active: list.active,
          onReset: list.reset,
          children: (
            <>
              <FilterSelect
                label="可见范围"
                value={list.filters.visibility}
                options={visibilityOptions}
                onChange={(visibility) => list.setFilters({ visibility })}
              />
              <Checkbox
                checked={list.filters.mine !== undefined}
                onChange={({ target }) => list.setFilters({ mine: target.checked ? "true" : undefined })}
              >
                只看我的
              </Checkbox>
            </>
          ),
        }}
        empty={{
          icon: "layers",
          text: "还没有镜像",
          note: "在实例里装好环境后，“另存为镜像”就会出现在这里",
          action: <Button onClick={() => navigate(libraryLink)}>看看公共镜像库</Button>,
        }}
      />
      <PullDrawer
        key={`pull ${panel.opening}`}
        open={panel.name === "pull"}
        image={pulled}
        onClose={panel.close}
      />
      <EditImageDrawer
        key={`edit ${panel.opening}`}
        open={panel.name === "edit"}
        id={panel.id ?? ""}
        onClose={panel.close}
      />
      <DeleteImage image={deleting} onClose={() => setDeleting(null)} />
    </>
  );
}
