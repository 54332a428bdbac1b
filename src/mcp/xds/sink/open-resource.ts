import type { Config } from "../../../config/config.ts";
import { apiVersionOf } from "../../../config/kind.ts";
import { assert } from "../../../lib/assert.ts";
import { errorFrom } from "../../../lib/errors.ts";
import type { McpCollection } from "../../collections.ts";
import { EnvelopeError } from "../../envelope/envelope-error.ts";
import { openEnvelope, readEnvelope, type Sender } from "../../envelope/open-envelope.ts";
import { envelopeType } from "../config-form.ts";
import { meshConfigType } from "../config-types.ts";
import type { SentResource } from "./read-config-response.ts";

/** An object with its wire name. */
export interface OpenedResource {
  readonly name: string;
  readonly config: Config;
}

/** Opens a received resource. Throws an {@link EnvelopeError}. */
export function openResource(
  { name, typeUrl, value }: SentResource,
  asked: { readonly typeUrl: string; readonly collection: McpCollection },
  sender: Sender,
): OpenedResource {
  const { collection } = asked;
  if (asked.typeUrl === meshConfigType) {
    return { name: name ?? "", config: bareConfig(name ?? "", { typeUrl, value }, collection, sender) };
  }
  if (typeUrl !== envelopeType) throw new EnvelopeError(name ?? "", `expected ${envelopeType}, found ${typeUrl}`);
  const resource = readEnvelope(value, name);
  const own = resource.metadata?.name ?? "";
  if (name !== undefined && name !== own) throw new EnvelopeError(name, `the resource inside is named "${own}"`);
  return { name: own, config: openEnvelope(resource, collection, sender) };
}

/** The mesh configuration has neither an envelope nor a name, because there is only one. */
function bareConfig(
  name: string,
  { typeUrl, value }: Pick<SentResource, "typeUrl" | "value">,
  { kind, body, renamed }: McpCollection,
  { sourceName }: Sender,
): Config {
  if (typeUrl !== body.typeUrl) throw new EnvelopeError(name, `expected ${body.typeUrl}, found ${typeUrl}`);
  assert(renamed !== undefined, "a collection of one object says its key");
  const around = {
    kind: kind.kind,
    apiVersion: apiVersionOf(kind),
    namespace: "",
    name: renamed.key,
    labels: {},
    annotations: {},
    createdAt: 0,
    origin: { source: sourceName, reference: sourceName, locate: () => undefined },
  };
  try {
    const content = { ...around, spec: body.decode(value) };
    return { ...content, version: body.versionOf(content) };
  } catch (thrown) {
    throw new EnvelopeError(name, `this is no ${body.typeUrl}: ${errorFrom(thrown).message}`, { cause: thrown });
  }
}
