// Addresses of the images' pages, and of the page on which an instance is made.

/** `id` is one of the lab's own, `image` a name in the public library. */
export const infoLink = (what: { id: string } | { image: string }) =>
  `/images/image_info?${new URLSearchParams({ ...what })}`;

/** A build that runs or ran, or a new one. */
export const newBuild = "new";
export const buildLink = (id: string = newBuild) => `/images/image_build/${id}`;

export const createLink = (image: string) =>
  `/servers/instance_create?${new URLSearchParams({ image }).toString()}`;

export const libraryLink = "/images/image_show";
export const manageLink = "/images/image_manage";
