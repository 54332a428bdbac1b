import {
  type HTTPHealthCheckConfig,
  type ReadinessProbe,
  type WorkloadGroup,
  WorkloadGroupSchema,
} from "#gen/istio/networking/v1alpha3/workload_group_pb.js";
import { fieldPath } from "../field-path.ts";
import { error, errorUnless, type Finding } from "../finding.ts";
import type { Kind } from "../kind.ts";
import { notNegative } from "../rules/amount.ts";
import { probeHeaderName } from "../rules/headers.ts";
import { labelMap } from "../rules/labels.ts";
import { portNumber } from "../rules/port.ts";
import { allowedText, noEmptyTexts } from "../rules/text.ts";
import { networking, networkingCollection } from "./api-groups.ts";
import { workloadShape } from "./workload-entry.ts";

export const workloadGroup: Kind<typeof WorkloadGroupSchema> = {
  ...networking,
  kind: "WorkloadGroup",
  plural: "workloadgroups",
  collection: networkingCollection("workloadgroups"),
  schema: WorkloadGroupSchema,
  validate: ({ spec }) => [
    ...labelMap(spec.metadata?.labels ?? {}, "spec.metadata.labels"),
    ...template(spec),
    ...(spec.probe === undefined ? [] : readinessProbe(spec.probe, "spec.probe")),
  ],
};

/** The entries of the group have their own addresses. */
function template({ template }: WorkloadGroup): readonly Finding[] {
  if (template !== undefined) return workloadShape(template, "spec.template");
  return [error("spec.template", { code: "missing-value", message: "a WorkloadGroup needs a template" })];
}

const counts = [
  "initialDelaySeconds",
  "timeoutSeconds",
  "periodSeconds",
  "successThreshold",
  "failureThreshold",
] as const;

function readinessProbe(probe: ReadinessProbe, path: string): readonly Finding[] {
  return [
    ...counts.flatMap((field) => notNegative(probe[field], `${path}.${field}`)),
    ...healthCheck(probe.healthCheckMethod, path),
  ];
}

function healthCheck(method: ReadinessProbe["healthCheckMethod"], path: string): readonly Finding[] {
  switch (method.case) {
    case "httpGet":
      return httpGet(method.value, `${path}.httpGet`);
    case "tcpSocket":
      return portNumber(method.value.port, `${path}.tcpSocket.port`);
    case "grpc":
      return portNumber(method.value.port, `${path}.grpc.port`);
    case "exec":
      return command(method.value.command, `${path}.exec.command`);
    case undefined:
    default:
      return [error(path, { code: "missing-value", message: "a probe needs httpGet, tcpSocket, grpc or exec" })];
  }
}

function httpGet({ port, scheme, httpHeaders }: HTTPHealthCheckConfig, path: string): readonly Finding[] {
  return [
    ...portNumber(port, `${path}.port`),
    ...(scheme === "" ? [] : allowedText(scheme, ["HTTP", "HTTPS"], `${path}.scheme`)),
    ...httpHeaders.flatMap(({ name }, index) => probeHeaderName(name, fieldPath(path, "httpHeaders", index, "name"))),
  ];
}

function command(words: readonly string[], path: string): readonly Finding[] {
  return [
    ...errorUnless(words.length > 0, path, { code: "missing-value", message: "a command is missing" }),
    ...noEmptyTexts(words, path),
  ];
}
