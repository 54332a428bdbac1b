/** A label of pods that Istio documents. */
interface KnownLabel {
  readonly name: string;
  /** The reader or writer: the injection, the mesh's configuration, or nobody. */
  readonly by: "injection" | "mesh" | "nobody";
  /** The effect, or the reason why there is none. */
  readonly doc: string;
}

/** Every label of pods in Istio's reference, in alphabetical order. */
export const knownLabels: readonly KnownLabel[] = [
  { name: "istio.io/dataplane-mode", by: "nobody", doc: "Ambient mode, which Binnacle does not serve." },
  {
    name: "istio.io/rev",
    by: "injection",
    doc: "The revision that injects the pod. The webhook configuration selects by it.",
  },
  { name: "istio.io/use-waypoint", by: "nobody", doc: "Ambient mode." },
  { name: "istio.io/use-waypoint-namespace", by: "nobody", doc: "Ambient mode." },
  {
    name: "security.istio.io/tlsMode",
    by: "injection",
    doc: "Written, unless the pod has it: `istio`. Clients use mTLS to pods with that value.",
  },
  {
    name: "service.istio.io/canonical-name",
    by: "injection",
    doc: "Written, unless the pod has it: `app.kubernetes.io/name`, `app` or the name of the workload.",
  },
  {
    name: "service.istio.io/canonical-revision",
    by: "injection",
    doc: "Written, unless the pod has it: `app.kubernetes.io/version`, `version` or `latest`.",
  },
  { name: "service.istio.io/workload-name", by: "injection", doc: "Name of the workload in metrics and logs." },
  {
    name: "sidecar.istio.io/inject",
    by: "injection",
    doc: '`"true"` or `"false"`: injects the pod, or not. Takes precedence over the annotation.',
  },
  { name: "topology.istio.io/cluster", by: "mesh", doc: "Written on endpoints: the cluster of the workload." },
  { name: "topology.istio.io/locality", by: "mesh", doc: "Locality of the workload, over that of its node." },
  {
    name: "topology.istio.io/network",
    by: "injection",
    doc: "Network of the workload. Written where the settings or the webhook's address name one.",
  },
];
