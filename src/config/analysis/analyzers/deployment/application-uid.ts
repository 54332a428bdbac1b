import type { PodSpec } from "#gen/k8s/core/v1/pod_pb.js";
import { deployment, pod } from "../../../kinds/kubernetes.ts";
import type { Analyzer } from "../../analyzer.ts";
import { isControlPlane, proxyContainer } from "../../facts/injection.ts";
import { messages } from "../../messages.ts";

/** The user of sidecars. Traffic of this user is not redirected. */
const sidecarUser = 1337n;

export const applicationUid: Analyzer = {
  name: "deployment.ApplicationUIDAnalyzer",
  description: "Containers of applications that run as the user of the sidecar",
  inputs: [pod, deployment],
  analyze(context) {
    const specs = [
      ...context.all(pod).map((config) => ({ config, spec: config.spec.spec, path: "spec" })),
      ...context.all(deployment).map((config) => {
        return { config, spec: config.spec.spec?.template?.spec, path: "spec.template.spec" };
      }),
    ];
    for (const { config, spec, path } of specs) {
      if (isControlPlane(config) || spec === undefined) continue;
      const place = placeOfUser(spec, path);
      if (place !== undefined) context.report(messages.invalidApplicationUid, { config, path: place });
    }
  },
};

function placeOfUser({ securityContext, containers }: PodSpec, path: string): string | undefined {
  if (securityContext?.runAsUser === sidecarUser) return `${path}.securityContext.runAsUser`;
  const index = containers.findIndex(
    ({ name, securityContext: own }) => name !== proxyContainer && own?.runAsUser === sidecarUser,
  );
  return index === -1 ? undefined : `${path}.containers[${index}].securityContext.runAsUser`;
}
