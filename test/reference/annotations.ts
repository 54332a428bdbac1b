import { knownAnnotations } from "../../src/inject/annotations.ts";
import { markdownTable } from "./table.ts";

const actors = { injection: "injection", agent: "agent in the pod", nobody: "none" };

export function annotationsPage(): string {
  const rows = knownAnnotations.map(({ name, by, doc }) => [`\`${name}\``, actors[by], doc]);
  return `# Annotations of pods

The annotations of pods that Istio documents for sidecars and gateways, and who acts on each.
[Inject sidecars](../recipes/inject-sidecars.md) describes the injection. Annotations for ambient mode, KubeVirt's older
network plugins and OpenShift have no effect.

${markdownTable(["annotation", "effect by", "effect"], rows)}`;
}
