import type { Config } from "../../config/config.ts";
import { apiVersionOf, type Kind } from "../../config/kind.ts";

/** The origin of an object, for people. Only a Binnacle sends it, so it also identifies the sender as one. */
const originKey = "binnacle.io/origin";
/** The API version that the author used, if it is not the preferred version of the kind. */
const apiVersionKey = "binnacle.io/api-version";

/**
 * The annotations of an object plus two of ours, because the envelope has no fields for them. Neither is part of the
 * object's version, so an object that only moved is not sent again.
 */
export function withOwnAnnotations({ annotations, origin, apiVersion }: Config, kind: Kind): Record<string, string> {
  const written = apiVersion === apiVersionOf(kind) ? {} : { [apiVersionKey]: apiVersion };
  return { ...annotations, ...written, [originKey]: origin.reference };
}

/** The values of our own annotations, and the other annotations. */
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
