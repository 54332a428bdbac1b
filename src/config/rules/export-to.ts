import { fieldPath } from "../field-path.ts";
import { error, errorUnless } from "../finding.ts";
import type { Finding } from "../kind.ts";
import { isNamespaceName } from "../names.ts";
import { unique } from "./unique.ts";

/** Who sees an object: `*` everyone, `.` its own namespace, `~` nobody, or namespaces by name. */
export function exportTo(namespaces: readonly string[]): readonly Finding[] {
  const path = "spec.exportTo";
  const alone = namespaces.find((namespace) => namespace === "*" || namespace === "~");
  const mixed = alone !== undefined && namespaces.length > 1;
  return [
    ...namespaces.flatMap((namespace, index) => visibility(namespace, fieldPath(path, index))),
    ...unique(namespaces, path, { what: "the namespace", valueOf: (namespace) => namespace }),
    ...(mixed ? [error(path, { code: "bad-export-to", message: `"${alone}" leaves no room for other entries` })] : []),
  ];
}

function visibility(namespace: string, path: string): readonly Finding[] {
  return errorUnless(["*", ".", "~"].includes(namespace) || isNamespaceName(namespace), path, {
    code: "bad-export-to",
    message: `"${namespace}" is not a namespace`,
    hint: 'name a namespace, or write "*" (everyone), "." (this namespace) or "~" (nobody)',
  });
}
