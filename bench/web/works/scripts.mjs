import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { load, stranger } from "../../browser.mjs";

export const title = "每页的脚本";
export const data = [];
export const goal = "登录页 ≤ 250 kB，首页 ≤ 400 kB";
export const note = "没有缓存的浏览器第一次打开这个地址时经网络传输的脚本，Brotli 压缩后的字节；请求数和传输量包括样式、字体、接口和响应头。";
export const columns = ["脚本（kB）", "请求数", "传输量（kB）"];

const PAGES = [
  ["登录", "/login"],
  ["首页", "/dashboard"],
  ["网盘：文件夹", "/netdisk/files/share/"],
  ["网盘：编辑文本", "/netdisk/files/share/a.txt"],
  ["网盘：图片", "/netdisk/files/share/a.svg"],
  ["网盘：PDF", "/netdisk/files/share/a.pdf"],
  ["网盘设置", "/settings/netdisk_settings/profile"],
  ["网盘全局设置", "/settings/netdisk_settings/global"],
  ["网盘用户", "/settings/netdisk_settings/users"],
  ["用户列表", "/users/user_list"],
  ["用户组列表", "/users/group_list"],
  ["组成员", "/users/groupmember_list"],
  ["登录日志", "/logs/login_log"],
  ["操作日志", "/logs/operate_log"],
  ["基础设置", "/settings/basic_setting"],
  ["认证设置", "/settings/auth_setting"],
  ["个人资料", "/profile/detail"],
  ["关于", "/profile/about"],
];

export async function run({ browser, sites: [{ origin, visitor }], root }) {
  writeFileSync(join(root, "a.txt"), "text\n");
  writeFileSync(join(root, "a.svg"), '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>');
  writeFileSync(join(root, "a.pdf"), "%PDF-1.4\n");
  const rows = [];
  for (const [name, path] of PAGES) {
    const { requests, bytes, script } = await load(browser, origin, path, path === "/login" ? stranger() : visitor);
    rows.push([name, script / 1000, String(requests), bytes / 1000]);
  }
  return rows;
}
