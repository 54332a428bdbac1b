/** The part of a ValidatingWebhookConfiguration that we look at, as the API server answers, which has checked it. */
export interface WebhookConfiguration {
  readonly metadata: { readonly resourceVersion: string };
  readonly webhooks?: readonly RegisteredWebhook[];
}

interface RegisteredWebhook {
  readonly name: string;
  readonly clientConfig: { readonly caBundle?: string };
  readonly failurePolicy?: FailurePolicy;
}

/** What the API server does while the webhook cannot be asked. */
export type FailurePolicy = "Ignore" | "Fail";

/** What every webhook of a configuration should have. */
export interface Registration {
  /** PEM of who signed the webhook's certificate. */
  readonly authorities: string;
  readonly failurePolicy: FailurePolicy;
}

/**
 * A strategic merge patch, which finds webhooks by their names and touches nothing else; undefined when there is nothing
 * to mend. With the version that was read it cannot bring back a webhook that somebody removed.
 */
export function webhookPatch(
  { metadata: { resourceVersion }, webhooks = [] }: WebhookConfiguration,
  { authorities, failurePolicy }: Registration,
): object | undefined {
  const caBundle = Buffer.from(authorities).toString("base64");
  const different = webhooks.filter(
    (webhook) => webhook.clientConfig.caBundle !== caBundle || webhook.failurePolicy !== failurePolicy,
  );
  if (different.length === 0) return undefined;
  return {
    metadata: { resourceVersion },
    webhooks: different.map(({ name }) => ({ name, clientConfig: { caBundle }, failurePolicy })),
  };
}
