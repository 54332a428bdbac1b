import { configKey } from "../../config/config.ts";
import type { Kind } from "../../config/kind.ts";

/** Which object: its kind, its namespace ("" where it has none) and its name. */
export interface ObjectId {
  readonly kind: Kind;
  readonly namespace: string;
  readonly name: string;
}

/** `ServiceEntry shop/reviews`, as issues name it. */
export function objectText(id: ObjectId): string {
  return `${id.kind.kind} ${configKey(id)}`;
}
