// Missing settings of a reverse proxy in front of the server: how they are recognised, and the advice. Pure.

const manual = "管理员手册“反向代理”";

/** Sockets never open, though plain calls get through. */
export const socketBlockedWords = `到服务器的 WebSocket 连接没有通过。如果前面有反向代理，请管理员打开 WebSocket 转发（见${manual}）`;

/** A body is larger than a proxy takes. */
export const bodyLimitWords = `服务器前面的反向代理限制了请求的大小，请管理员放开（nginx 是 client_max_body_size 0，见${manual}）`;

/** The storage host names the status at the head of its line; a proxy answers with a page of its own, or with nothing. */
export const isProxyLimit = (status: number, text: string) => status === 413 && !text.startsWith("413 ");
