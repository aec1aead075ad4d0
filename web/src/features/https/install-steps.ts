// How the lab's CA is installed, system by system.

export interface Guide {
  key: string;
  title: string;
  /** The format of its download. */
  format: "pem" | "der" | "mobileconfig";
  file: string;
  steps: readonly string[];
  /** A command that does it, instead of some of the steps. */
  command?: string;
}

export const guides: readonly Guide[] = [
  {
    key: "windows",
    title: "Windows（Edge、Chrome）",
    format: "der",
    file: "lab-ca.crt",
    steps: [
      "下载 lab-ca.crt，双击打开，点“安装证书”。",
      "存储位置选“当前用户”，下一步。",
      "选“将所有的证书都放入下列存储”，点“浏览”，选“受信任的根证书颁发机构”，下一步，完成。",
      "弹出安全警告时，核对指纹后点“是”。重新打开浏览器。",
    ],
    command: "certutil -user -addstore Root lab-ca.crt",
  },
  {
    key: "macos",
    title: "macOS（Safari、Chrome）",
    format: "der",
    file: "lab-ca.crt",
    steps: [
      "下载 lab-ca.crt，双击打开，在“钥匙串访问”里添加到“登录”钥匙串。",
      "在“证书”里找到它，双击，展开“信任”，“使用此证书时”选“始终信任”。",
      "关闭窗口，输入电脑的密码。重新打开浏览器。",
    ],
    command: "security add-trusted-cert -r trustRoot -k ~/Library/Keychains/login.keychain-db lab-ca.crt",
  },
  {
    key: "linux",
    title: "Linux（系统和命令行）",
    format: "pem",
    file: "lab-ca.pem",
    steps: [
      "Debian、Ubuntu：下载 lab-ca.pem，运行下面的命令，curl、git、rclone 等程序就会信任它。",
      "Fedora、CentOS：把文件放到 /etc/pki/ca-trust/source/anchors/，运行 sudo update-ca-trust。",
      "Chrome 用自己的列表：打开 chrome://certificate-manager，在“本地证书”的“自定义”里导入到“受信任的证书”。",
    ],
    command: "sudo cp lab-ca.pem /usr/local/share/ca-certificates/lab-ca.crt && sudo update-ca-certificates",
  },
  {
    key: "firefox",
    title: "Firefox（各种系统）",
    format: "pem",
    file: "lab-ca.pem",
    steps: [
      "Windows 和 macOS 上的 Firefox 会用系统信任的证书，装到系统里就可以。",
      "还提示不安全时：设置 → 隐私与安全 → 证书 → 查看证书 → 证书颁发机构 → 导入，选 lab-ca.pem。",
      "勾选“信任由此证书颁发机构来标识网站”，确定。",
    ],
  },
  {
    key: "android",
    title: "Android",
    format: "der",
    file: "lab-ca.crt",
    steps: [
      "下载 lab-ca.crt。",
      "打开系统设置，搜索“CA 证书”（多在 安全 → 更多安全设置 → 加密与凭据 → 安装证书），选“CA 证书”。",
      "看到警告时选“仍然安装”，选刚下载的文件。没有锁屏密码的手机要先设一个。",
    ],
  },
  {
    key: "ios",
    title: "iPhone、iPad",
    format: "mobileconfig",
    file: "lab-ca.mobileconfig",
    steps: [
      "用 Safari 打开本页，下载描述文件，点“允许”。",
      "打开“设置”，点上方的“已下载描述文件”，安装。",
      "再到 设置 → 通用 → 关于本机 → 证书信任设置，打开这个证书的开关。没有这一步还是不信任。",
    ],
  },
];

/** The system that this browser probably runs on. */
export function likelyGuide(agent: string): string {
  if (/iPhone|iPad/.test(agent)) return "ios";
  if (/Android/.test(agent)) return "android";
  if (/Windows/.test(agent)) return "windows";
  if (/Firefox/.test(agent)) return "firefox";
  if (/Mac OS X/.test(agent)) return "macos";
  return /Linux/.test(agent) ? "linux" : "windows";
}

export const downloadAddress = (format: Guide["format"]) => `/api/lab-ca/certificate?format=${format}`;
