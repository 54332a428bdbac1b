import type { Config } from "../../config/config.ts";
import { apiVersionOf, type Kind } from "../../config/kind.ts";

/** What an object was read from, for people. Only we send it, so it also shows that the sender is one of us. */
const originKey = "binnacle.io/origin";
/** How its author wrote it, where that is not the preferred version of the kind. */
const apiVersionKey = "binnacle.io/api-version";

/**
 * The annotations of an object with two of ours: the envelope has no field for what they say. Neither is part of the
 * object's version, so an object that only moved is not sent again.
 */
export function withOwnAnnotations({ annotations, origin, apiVersion }: Config, kind: Kind): Record<string, string> {
  const written = apiVersion === apiVersionOf(kind) ? {} : { [apiVersionKey]: apiVersion };
  return { ...annotations, ...written, [originKey]: origin.reference };
}

/** What was said by ours, and the annotations without them. */
export function readOwnAnnotations(
  received: Readonly<Record<string, string>>,
  kind: Kind,
): {
  readonly annotations: Readonly<Record<string, string>>;
  readonly apiVersion: string;
  readonly reference: string | undefined;
} {
  const { [originKey]: reference, [apiVersionKey]: apiVersion = apiVersionOf(kind), ...annotations } = received;
  return { annotations, apiVersion, reference };
}
