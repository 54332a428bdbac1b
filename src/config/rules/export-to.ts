import { fieldPath } from "../field-path.ts";
import { error, errorUnless, type Finding } from "../finding.ts";
import { isNamespaceName } from "../grammar/names.ts";
import { unique } from "./unique.ts";

export interface ExportRule {
  /** The namespace of the object. */
  readonly namespace: string;
  /** Whether `~` is allowed. Only a service may use it: then only its own workloads know the service. */
  readonly nobody?: boolean;
}

/** The visibility of an object: `*` for all namespaces, `.` for its own, or namespaces by name. */
export function exportTo(
  namespaces: readonly string[],
  { namespace: own, nobody = false }: ExportRule,
): readonly Finding[] {
  const path = "spec.exportTo";
  const alone = namespaces.find((namespace) => namespace === "*" || namespace === "~");
  const mixed = alone !== undefined && namespaces.length > 1;
  return [
    ...namespaces.flatMap((namespace, index) => visibility(namespace, fieldPath(path, index), nobody)),
    ...unique(namespaces, path, {
      what: "the namespace",
      valueOf: (namespace) => (namespace === "." ? own : namespace),
    }),
    ...(mixed ? [error(path, { code: "bad-export-to", message: `"${alone}" must be the only entry` })] : []),
  ];
}

function visibility(namespace: string, path: string, nobody: boolean): readonly Finding[] {
  const signs = nobody ? ["*", ".", "~"] : ["*", "."];
  return errorUnless(signs.includes(namespace) || isNamespaceName(namespace), path, {
    code: "bad-export-to",
    message: `"${namespace}" is not a namespace`,
    hint: `name a namespace, or write "*" (everyone)${nobody ? ', "." (this namespace) or "~" (nobody)' : ' or "." (this namespace)'}`,
  });
}
