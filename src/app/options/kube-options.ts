import { switched, text } from "./option-values.ts";
import type { OptionRows } from "./options.ts";

/** What is written to Kubernetes, and asked of it. */
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
    doc: "write what analysis finds into status.validationMessages of the objects of kube: sources; of several processes one does",
    example: "true",
  },
  leaseNamespace: {
    name: "lease-namespace",
    env: ["BINNACLE_LEASE_NAMESPACE", "POD_NAMESPACE"],
    type: text("NAMESPACE"),
    default: undefined,
    defaultText: "",
    doc: "where the Leases are by which one of several processes is found that writes to Kubernetes; that of the kubeconfig or of the pod unless given",
    example: "binnacle-system",
  },
  tokenReview: {
    name: "token-review",
    env: ["BINNACLE_TOKEN_REVIEW"],
    type: switched,
    default: false,
    defaultText: "",
    doc: "show bearer tokens to Kubernetes' API server, which knows the service accounts of its cluster; they must be meant for a --jwt-audience",
    example: "true",
  },
  webhookConfig: {
    name: "webhook-config",
    env: ["BINNACLE_WEBHOOK_CONFIG"],
    type: text("NAME"),
    default: undefined,
    defaultText: "",
    doc: "the ValidatingWebhookConfiguration whose caBundle and failurePolicy are kept in line with the webhook",
    example: "binnacle",
  },
  webhookCa: {
    name: "webhook-ca",
    env: ["BINNACLE_WEBHOOK_CA"],
    type: text("FILE"),
    default: undefined,
    defaultText: "",
    doc: "who signed the webhook's certificate, as PEM, watched: what --webhook-config tells Kubernetes; --webhook-cert unless given",
    example: "/etc/certs/root-cert.pem",
  },
};
