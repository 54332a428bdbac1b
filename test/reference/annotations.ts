import { knownAnnotations } from "../../src/inject/annotations.ts";
import { knownLabels } from "../../src/inject/labels.ts";
import { markdownTable } from "./table.ts";

const actors = { injection: "injection", agent: "agent in the pod", mesh: "configuration of proxies", nobody: "none" };

function table(
  kind: string,
  rows: readonly { readonly name: string; readonly by: keyof typeof actors; readonly doc: string }[],
) {
  const cells = rows.map(({ name, by, doc }) => [`\`${name}\``, actors[by], doc]);
  return markdownTable([kind, "effect by", "effect"], cells);
}

export function annotationsPage(): string {
  return `# Annotations and labels of pods

All annotations and labels of pods that Istio documents, and who acts on each. [Inject
sidecars](../recipes/inject-sidecars.md) describes the injection. A value that cannot be used refuses the pod, and the message
names it. Annotations for OpenShift have no effect.

${table("annotation", knownAnnotations)}
## Labels

${table("label", knownLabels)}`;
}
