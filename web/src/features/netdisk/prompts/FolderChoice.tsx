// The dialogue in which a folder or a file is chosen for another page.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Button, Flex, Modal } from "antd";
import { useEffect, useRef, useState } from "react";
import { publicSettingsQuery } from "@/shared/api/public-settings";
import { FileInput } from "@/shared/form/FileInput";
import type { FolderQuestion } from "@/shared/stores/folder-choice";
import { isAdmin, useSession } from "@/shared/stores/session";
import { Icon } from "@/shared/theme/Icon";
import { everything } from "../actions";
import { myFoldersQuery, netdiskKey } from "../api";
import { DiskContext } from "../disk-context";
import { diskRoot, isFolderPath, nameOf as lastName, parentOf } from "../disk-paths";
import { placesOf, titleOf } from "../places";
import { pickedFromInput } from "../uploads/picked";
import { enqueue, useUploads } from "../uploads/upload-store";
import { FolderPicker } from "./FolderPicker";

const home = "/home/";

export function FolderChoice({ question: { title, wanted, answer } }: { question: FolderQuestion }) {
  const settings = useQuery(publicSettingsQuery);
  const admin = useSession(isAdmin);
  const groups = useQuery({ ...myFoldersQuery, enabled: !admin });
  const wantsFile = wanted === "file";
  // Files are mostly in the user's home, and nothing can be uploaded into the root.
  const start = wantsFile && !admin ? home : diskRoot;
  const [path, setPath] = useState(start);
  const host = settings.data?.storageHost;
  const places = placesOf(admin, groups.data?.items ?? []);
  const nameOf = (folder: string) => titleOf(folder, places, admin);
  const fits = !wantsFile || !isFolderPath(path);
  const folder = isFolderPath(path) ? path : parentOf(path);
  const choose = () => fits && answer(path);

  return (
    <Modal
      open
      title={title}
      width={480}
      okText="选择"
      cancelText="取消"
      closeIcon={<Icon name="close" />}
      okButtonProps={{ disabled: !host || !fits }}
      onOk={choose}
      onCancel={() => answer(null)}
    >
      {host ? (
        <DiskContext
          value={{ host, admin, viewer: { admin, perm: everything }, user: undefined, titleOf: nameOf }}
        >
          <Flex vertical gap={8}>
            <FolderPicker start={start} files={wantsFile} onPick={setPath} onConfirm={choose} />
            {wantsFile && <UploadHere folder={folder} name={nameOf(folder)} />}
            <span aria-live="polite">
              {fits ? (
                <>
                  选择：<b>{isFolderPath(path) ? nameOf(path) : lastName(path)}</b>
                </>
              ) : (
                "选择一个文件，或者上传一个到当前文件夹"
              )}
            </span>
          </Flex>
        </DiskContext>
      ) : (
        (settings.error?.message ?? "存储服务器未配置，不能选择网盘里的文件夹")
      )}
    </Modal>
  );
}

/** Sends files of this machine into the open folder, by the disk's own upload; they can be chosen once they are there. */
function UploadHere({ folder, name }: { folder: string; name: string }) {
  const input = useRef<HTMLInputElement>(null);
  const { preparing, running, percent, rounds } = useUploads();
  const client = useQueryClient();

  useEffect(() => {
    if (rounds > 0) void client.invalidateQueries({ queryKey: netdiskKey });
  }, [client, rounds]);

  return (
    <div>
      <FileInput
        ref={input}
        label="要上传的文件"
        multiple
        onPick={(files) => void enqueue(pickedFromInput(files), folder)}
      />
      <Button
        icon={<Icon name="upload" size={14} />}
        disabled={folder === diskRoot}
        loading={preparing || running}
        onClick={() => input.current?.click()}
      >
        {running
          ? `正在上传 ${percent}%`
          : folder === diskRoot
            ? "先打开一个文件夹再上传"
            : `上传到“${name}”`}
      </Button>
    </div>
  );
}
