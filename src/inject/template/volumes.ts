import { isMapping } from "../../lib/is-mapping.ts";
import { ownValue } from "../../lib/own-value.ts";
import { parseJson } from "../../lib/parse-json.ts";
import type { Fields, Volume } from "../pod.ts";
import { optional, type TemplateInput } from "./template-input.ts";

const bootstrapVolume = "custom-bootstrap-volume";

export function proxyVolumes(input: TemplateInput, proxy: "sidecar" | "router"): readonly Volume[] {
  const { settings, annotations } = input;
  const bootstrap = ownValue(annotations, "sidecar.istio.io/bootstrapOverride");
  return [
    { name: "workload-socket", emptyDir: {} },
    { name: "credential-socket", emptyDir: {} },
    { name: "workload-certs", emptyDir: {} },
    ...(bootstrap === undefined ? [] : [{ name: bootstrapVolume, configMap: { name: bootstrap } }]),
    { name: "istio-envoy", emptyDir: { medium: "Memory" } },
    { name: "istio-data", emptyDir: {} },
    { name: "istio-podinfo", downwardAPI: { items: ["labels", "annotations"].map(podInfo) } },
    { name: "istio-token", projected: { sources: [{ serviceAccountToken: tokenFor(settings.tokenAudience) }] } },
    { name: "istiod-ca-cert", configMap: { name: settings.trustBundle } },
    ...(proxy === "sidecar" ? userEntries(annotations["sidecar.istio.io/userVolume"]) : []),
  ];
}

export function proxyVolumeMounts({ annotations }: TemplateInput, proxy: "sidecar" | "router"): readonly Volume[] {
  const hasBootstrap = Object.hasOwn(annotations, "sidecar.istio.io/bootstrapOverride");
  return [
    { name: "workload-socket", mountPath: "/var/run/secrets/workload-spiffe-uds" },
    { name: "credential-socket", mountPath: "/var/run/secrets/credential-uds" },
    { name: "workload-certs", mountPath: "/var/run/secrets/workload-spiffe-credentials" },
    { name: "istiod-ca-cert", mountPath: "/var/run/secrets/istio" },
    { name: "istio-data", mountPath: "/var/lib/istio/data" },
    ...(hasBootstrap ? [{ name: bootstrapVolume, mountPath: "/etc/istio/custom-bootstrap" }] : []),
    { name: "istio-envoy", mountPath: "/etc/istio/proxy" },
    { name: "istio-token", mountPath: "/var/run/secrets/tokens" },
    { name: "istio-podinfo", mountPath: "/etc/istio/pod" },
    ...(proxy === "sidecar" ? userEntries(annotations["sidecar.istio.io/userVolumeMount"]) : []),
  ];
}

export function pullSecrets({ settings }: TemplateInput): Fields {
  const secrets = settings.pullSecrets.map((name) => ({ name }));
  return optional("imagePullSecrets", secrets.length === 0 ? undefined : secrets);
}

function podInfo(name: string): Fields {
  return { path: name, fieldRef: { fieldPath: `metadata.${name}` } };
}

/** A token of the pod's service account, which proves the identity of the proxy to the certificate authority. */
function tokenFor(audience: string): Fields {
  return { path: "istio-token", expirationSeconds: 43_200, audience };
}

/** The annotation is JSON: a mapping from the volume's name to its fields. It has been checked before. */
function userEntries(annotation: string | undefined): readonly Volume[] {
  const entries = annotation === undefined ? undefined : parseJson(annotation);
  if (!isMapping(entries)) return [];
  return Object.entries(entries).map(([name, fields]) => ({ ...(isMapping(fields) ? fields : {}), name }));
}
