import type { OptionRows } from "./option.ts";
import { singleText, switched } from "./option-values.ts";

/** Options for writes and requests to Kubernetes. */
export interface KubeOptions {
  readonly analysisStatus: boolean;
  readonly leaseNamespace: string | undefined;
  readonly tokenReview: boolean;
  readonly webhookConfig: string | undefined;
  readonly webhookCa: string | undefined;
}

export const kubeOptions: OptionRows<KubeOptions> = {
  analysisStatus: {
    name: "analysis-status",
    env: ["BINNACLE_ANALYSIS_STATUS", "PILOT_ENABLE_ANALYSIS"],
    type: switched,
    default: false,
    defaultText: "",
    doc: "Writes analysis messages to status.validationMessages of the objects of kube: sources, and the conditions Quarantined of refused objects and RolledOut of objects under a rollout to status.conditions. Only the leader writes.",
    example: "true",
  },
  leaseNamespace: {
    name: "lease-namespace",
    env: ["BINNACLE_LEASE_NAMESPACE", "POD_NAMESPACE"],
    type: singleText("NAMESPACE"),
    default: undefined,
    defaultText: "",
    doc: "Namespace of the Leases used for leader election. Only the leader writes to Kubernetes. Without it, the namespace of the kubeconfig or of the pod is used.",
    example: "binnacle-system",
  },
  tokenReview: {
    name: "token-review",
    env: ["BINNACLE_TOKEN_REVIEW"],
    type: switched,
    default: false,
    defaultText: "",
    doc: "Verifies bearer tokens with the TokenReview API of Kubernetes, which knows the service accounts of its cluster. The tokens need a --jwt-audience.",
    example: "true",
  },
  webhookConfig: {
    name: "webhook-config",
    env: ["BINNACLE_WEBHOOK_CONFIG"],
    type: singleText("NAME"),
    default: undefined,
    defaultText: "",
    doc: "Name of the ValidatingWebhookConfiguration whose caBundle and failurePolicy Binnacle keeps up to date.",
    example: "binnacle",
  },
  webhookCa: {
    name: "webhook-ca",
    env: ["BINNACLE_WEBHOOK_CA"],
    type: singleText("FILE"),
    default: undefined,
    defaultText: "",
    doc: "CA certificate of --webhook-cert (PEM), which --webhook-config writes to caBundle. Reloaded on change. Without it, --webhook-cert is used, or the roots of --ca.",
    example: "/etc/certs/root-cert.pem",
  },
};
