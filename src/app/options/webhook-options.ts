import type { OptionRows } from "./option.ts";
import { address, oneOf, singleText } from "./option-values.ts";

/** The admission webhook. */
export interface WebhookOptions {
  readonly webhook: string;
  readonly webhookCert: string | undefined;
  readonly webhookKey: string | undefined;
  readonly webhookUnknownFields: "warn" | "deny";
}

export const webhookOptions: OptionRows<WebhookOptions> = {
  webhook: {
    name: "webhook",
    env: ["BINNACLE_WEBHOOK"],
    type: address,
    default: "off",
    defaultText: "off",
    doc: "Address that serves the validating admission webhook for Kubernetes, over HTTPS.",
    example: ":9443",
  },
  webhookCert: {
    name: "webhook-cert",
    env: ["BINNACLE_WEBHOOK_CERT"],
    type: singleText("FILE"),
    default: undefined,
    defaultText: "",
    doc: "Certificate chain of the webhook (PEM). Reloaded on change. Without it, the authority of --ca issues one.",
    example: "/etc/certs/cert-chain.pem",
  },
  webhookKey: {
    name: "webhook-key",
    env: ["BINNACLE_WEBHOOK_KEY"],
    type: singleText("FILE"),
    default: undefined,
    defaultText: "",
    doc: "Private key of --webhook-cert (PEM). Reloaded on change.",
    example: "/etc/certs/key.pem",
  },
  webhookUnknownFields: {
    name: "webhook-unknown-fields",
    env: ["BINNACLE_WEBHOOK_UNKNOWN_FIELDS"],
    type: oneOf(["warn", "deny"]),
    default: "deny",
    defaultText: "deny",
    doc: "Denies objects with unknown fields in their spec, such as misspelt ones, or admits them with a warning. A server does not apply such objects.",
    example: "warn",
  },
};
