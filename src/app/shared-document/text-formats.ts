import type { TextFormat } from "./etcd-document-store.ts";
import type { DataFormat } from "./kube-document-store.ts";

/** The text as it is: its reader judges it. */
export const plainText: TextFormat<string> = { encode: (text) => text, decode: (text) => text };

/** The text under one key of a ConfigMap. */
export function configMapText(key: string): DataFormat<string> {
  return {
    kind: "ConfigMap",
    encode: (text) => new Map([[key, text]]),
    // An installer may have made an empty one.
    decode: (texts) => texts.get(key) || undefined,
  };
}
