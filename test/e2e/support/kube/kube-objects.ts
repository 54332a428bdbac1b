/** Something that Kubernetes keeps. */
export interface TestKubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly spec?: object;
  readonly [field: string]: unknown;
}

interface KindNames {
  readonly kind: string;
  readonly plural: string;
  readonly group?: string;
}

/** A kind of Istio's whose spec may be anything: whatever is refused, a webhook refused it. */
export function openDefinition({ kind, plural, group = "networking.istio.io" }: KindNames): TestKubeObject {
  const open = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { kind, listKind: `${kind}List`, plural, singular: kind.toLowerCase() },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { ...open, properties: { spec: open } } },
        },
      ],
    },
  };
}

export interface WebhookPlace {
  readonly url: string;
  /** PEM of who signed its certificate. */
  readonly authority: string;
}

/** Sends all that is written in Istio's networking group to a webhook, without which nothing is written. */
export function webhookConfiguration({ url, authority }: WebhookPlace): object {
  return {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingWebhookConfiguration",
    metadata: { name: "binnacle" },
    webhooks: [
      {
        name: "validation.binnacle.test",
        clientConfig: { url, caBundle: Buffer.from(authority).toString("base64") },
        rules: [
          {
            apiGroups: ["networking.istio.io"],
            apiVersions: ["*"],
            resources: ["*"],
            operations: ["CREATE", "UPDATE", "DELETE"],
          },
        ],
        admissionReviewVersions: ["v1", "v1beta1"],
        sideEffects: "None",
        failurePolicy: "Fail",
        timeoutSeconds: 10,
      },
    ],
  };
}
