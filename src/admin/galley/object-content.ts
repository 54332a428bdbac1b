import { type DescMessage, isMessage } from "@bufbuild/protobuf";
import type { Config, Labels } from "../../config/config.ts";
import { kinds } from "../../config/kinds.ts";
import { toRaw } from "../../config/proto-json/to-raw.ts";

/** The content of an object that people may see. */
export interface ObjectContent {
  readonly labels: Labels;
  readonly annotations: Labels;
  /** In the spelling of files; null for a Secret. */
  readonly spec: unknown;
}

/** Secrets are hidden. Annotations are hidden too, because they may repeat the applied secret. */
export function contentOf(config: Config): ObjectContent {
  const { labels, annotations, spec, sealed } = config;
  const isHidden = config.kind === "Secret" || sealed !== undefined;
  return { labels, annotations: isHidden ? {} : annotations, spec: isHidden ? null : rawSpec(spec) };
}

/** A spec that is no protobuf message, such as an internal service, is shown unchanged. */
function rawSpec(spec: unknown): unknown {
  const schema = kinds.map((kind): DescMessage => kind.schema).find((each) => isMessage(spec, each));
  return schema === undefined || !isMessage(spec, schema) ? spec : toRaw(schema, spec);
}
