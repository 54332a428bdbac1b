import type { ObjectLink } from "../../../../src/desk/api/model/object-link.ts";

export const at = new Date().toISOString();
export const earlier = new Date(Date.now() - 3 * 60_000).toISOString();

export const reviews: ObjectLink = {
  id: "VirtualService/shop/reviews",
  kind: "VirtualService",
  namespace: "shop",
  name: "reviews",
  source: "file:./mesh",
  reference: "mesh/shop/reviews-and-a-rather-long-file-name.yaml:14",
};
