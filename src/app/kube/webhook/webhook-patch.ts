/** The part of a validating or mutating webhook configuration that we read. The API server has validated it. */
export interface WebhookConfiguration {
  readonly metadata: { readonly name: string; readonly resourceVersion: string };
  readonly webhooks?: readonly RegisteredWebhook[];
}

interface RegisteredWebhook {
  readonly name: string;
  readonly clientConfig: { readonly caBundle?: string };
  readonly failurePolicy?: FailurePolicy;
}

/** How the API server treats requests while the webhook is unreachable. */
export type FailurePolicy = "Ignore" | "Fail";

/** The wanted settings of every webhook in a configuration. */
export interface Registration {
  /** CA certificates of the webhook (PEM). */
  readonly authorities: string;
  /** Absent if it is the installer's. */
  readonly failurePolicy?: FailurePolicy;
}

/**
 * A strategic merge patch, which finds webhooks by name and changes nothing else; undefined if nothing is to change. It
 * carries the version that was read, so it cannot restore a webhook that a user removed.
 */
export function webhookPatch(
  { metadata: { resourceVersion }, webhooks = [] }: WebhookConfiguration,
  { authorities, failurePolicy }: Registration,
): object | undefined {
  const caBundle = Buffer.from(authorities).toString("base64");
  const different = webhooks.filter(
    (webhook) =>
      webhook.clientConfig.caBundle !== caBundle ||
      (failurePolicy !== undefined && webhook.failurePolicy !== failurePolicy),
  );
  if (different.length === 0) return undefined;
  return {
    metadata: { resourceVersion },
    webhooks: different.map(({ name }) => ({
      name,
      clientConfig: { caBundle },
      ...(failurePolicy && { failurePolicy }),
    })),
  };
}
