import { create } from "@bufbuild/protobuf";
import { type ConfigMap, ConfigMapSchema } from "#gen/k8s/core/v1/data_pb.js";
import type { Config } from "../config.ts";
import { configMap, secret } from "../kinds/secret.ts";
import { sealParts } from "./sealed-parts.ts";
import { authorityNames, pairNames } from "./secret-parts.ts";

/** The parts in PEM that each credential has. */
const pemNames: ReadonlySet<string> = new Set([
  ...pairNames.map(({ chain }) => chain),
  ...authorityNames.map(({ certificates }) => certificates),
]);

/**
 * A Secret or ConfigMap with the same certificates in other bytes: with line breaks after the PEM, which mean nothing.
 * Undefined for other objects.
 */
export function inOtherBytes(config: Config, lineBreaks: number): Config | undefined {
  const version = `${config.version}+${lineBreaks}`;
  if (config.kind === secret.kind && config.sealed !== undefined) {
    const parts = Object.entries(config.sealed.reveal());
    return { ...config, version, sealed: sealParts(Object.fromEntries(parts.map(longer))) };
  }
  if (config.kind !== configMap.kind) return undefined;
  const { data, binaryData } = config.spec as ConfigMap;
  const texts = Object.entries(data).map(([name, text]): [string, string] => [name, `${text}${breaksFor(name)}`]);
  const parts = Object.fromEntries(Object.entries(binaryData).map(longer));
  const spec = create(ConfigMapSchema, { data: Object.fromEntries(texts), binaryData: parts });
  return { ...config, version, spec };

  function longer([name, part]: readonly [string, Uint8Array]): [string, Uint8Array<ArrayBuffer>] {
    return [name, Buffer.concat([part, Buffer.from(breaksFor(name))])];
  }

  function breaksFor(name: string): string {
    return pemNames.has(name) ? "\n".repeat(lineBreaks) : "";
  }
}
