import { create, type DescMessage, type MessageInitShape, type MessageShape } from "@bufbuild/protobuf";
import { type Config, configKey } from "../../../../config/config.ts";
import { contentVersion } from "../../../../config/content-version.ts";
import { convertedFrom } from "../../../../config/converted.ts";
import { apiVersionOf, type Kind } from "../../../../config/kind.ts";

/** An object of Istio before 1.6, and the namespace in which it applies: the root one for a MeshPolicy. */
export interface LegacyObject<Spec = unknown> {
  readonly config: Config<Spec>;
  readonly namespace: string;
}

/** The last millisecond that a timestamp can express. */
const youngest = Date.UTC(9999, 11, 31, 23, 59, 59);

/** A converted policy beside its kind and spec. */
interface Converted {
  /** Follows the name of the legacy policy, if that makes several objects of the kind. */
  readonly suffix?: string;
  /** Whether it goes before other converted policies. */
  readonly first?: boolean;
  readonly annotations?: Readonly<Record<string, string>>;
}

/**
 * A policy made from a legacy one. Its origin is the legacy policy. Of two PeerAuthentications for one workload the
 * older counts, so a converted one is younger than every object that a user wrote.
 */
export function convertedConfig<Desc extends DescMessage>(
  kind: Kind<Desc>,
  { config, namespace }: LegacyObject,
  init: MessageInitShape<Desc>,
  { suffix, first = false, annotations = {} }: Converted = {},
): Config<MessageShape<Desc>> {
  const parts = ["legacy", config.kind.toLowerCase(), config.name, ...(suffix === undefined ? [] : [suffix])];
  const content = {
    kind: kind.kind,
    apiVersion: apiVersionOf(kind),
    namespace,
    name: parts.join("-"),
    labels: {},
    annotations: { ...annotations, [convertedFrom]: `${config.kind} ${configKey(config)}` },
    createdAt: first ? youngest - 1000 : youngest,
    spec: create(kind.schema, init),
  };
  return { ...content, version: contentVersion(content, kind.schema), origin: config.origin };
}
