// A picture as small as the portal keeps it: a square of 128 px inside a data URL of at most 64 kB.

const side = 128;
export const largestAvatar = 64 * 1024;

/** Cuts the middle square out of the chosen picture and scales it down. Throws with words for the user. */
export async function readAvatar(file: File): Promise<string> {
  let bitmap: ImageBitmap;
  try {
    bitmap = await createImageBitmap(file);
  } catch {
    throw new Error("无法识别这张图片，请换一张 PNG 或 JPEG");
  }
  const canvas = document.createElement("canvas");
  canvas.width = side;
  canvas.height = side;
  const pen = canvas.getContext("2d");
  if (!pen) throw new Error("浏览器不能处理图片");
  const cut = Math.min(bitmap.width, bitmap.height);
  pen.drawImage(bitmap, (bitmap.width - cut) / 2, (bitmap.height - cut) / 2, cut, cut, 0, 0, side, side);
  bitmap.close();
  const url = canvas.toDataURL("image/jpeg", 0.85);
  if (url.length > largestAvatar) throw new Error("图片太大，请换一张");
  return url;
}
