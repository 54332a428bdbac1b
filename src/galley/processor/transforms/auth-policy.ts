import { clone, create } from "@bufbuild/protobuf";
import { MutualTlsSchema, type Policy, PolicySchema } from "#gen/istio/authentication/v1alpha1/policy_pb.js";
import type { Collection } from "../../../collection/collection.ts";
import { type Config, configKey, isSameConfig } from "../../../config/config.ts";
import { contentVersion } from "../../../config/content-version.ts";
import type { Output, Transformer } from "../transformer.ts";

/**
 * Forwards authentication policies. A peer method written as `- mtls:` with no value parses as no method and would be
 * lost. This transformer turns it into mutual TLS, as the author intended.
 */
export function authPolicyTransformer(input: string, output: Output): Transformer {
  return {
    name: `authpolicy/${output.collection}`,
    inputs: [input],
    outputs: [output],
    install(graph, collection) {
      const from = collection(input) as Collection<Config<Policy>>;
      const policies = graph.derive({
        name: output.collection,
        from,
        key: (config: Config<Policy>) => configKey(config),
        to: (config) => [withMutualTls(config)],
        equals: isSameConfig,
      });
      return new Map([[output.collection, policies]]);
    },
  };
}

function withMutualTls(config: Config<Policy>): Config<Policy> {
  if (config.spec.peers.every(({ params }) => params.case !== undefined)) return config;
  const spec = clone(PolicySchema, config.spec);
  for (const peer of spec.peers) {
    if (peer.params.case === undefined) peer.params = { case: "mtls", value: create(MutualTlsSchema) };
  }
  const changed = { ...config, spec };
  return { ...changed, version: contentVersion(changed, PolicySchema) };
}
