import type { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import type { Conflict } from "../../model/conflict.ts";
import { type ExtensionClient, extensionProblem } from "../../model/policy/extension-support.ts";
import { policyWorkloadOf } from "../../model/policy/policy-workload.ts";
import { outboundPolicyRefsFor } from "../../model/policy/traffic-policies.ts";
import { filterCapabilitiesOf } from "../../model/proxy/capabilities.ts";
import type { Proxy } from "../../model/proxy/proxy.ts";
import { isProxyless } from "../../model/proxy/proxy.ts";
import type { PushContext } from "../../model/push-context.ts";
import { buildExtensionConfig } from "../../networking/extension/build-extension-config.ts";
import { type Generated, type GeneratorRun, only, type PartFamily, type PartInputs } from "../generator.ts";
import { policyApplies } from "./dependencies.ts";

/** Inputs that proxies with the same extensions share. */
interface ExtensionPart extends PartInputs {
  readonly namespace: string;
  /** The ids of the extensions that apply to the proxy. It gets no others, even if it asks for them. */
  readonly extensions: readonly string[];
  readonly client: ExtensionClient;
}

/** ECDS: the configurations of the Wasm filters in the listeners of a proxy. They are few, so each run builds all. */
export function extensionConfigs(writer: ProtoWriter): PartFamily<ExtensionPart> {
  function generate({ inputs: { extensions, client }, push }: GeneratorRun<ExtensionPart>): Generated {
    const found = extensions.flatMap((id) => push.extensions.get(id) ?? []);
    const resources = found.flatMap((extension) => buildExtensionConfig(extension, client, writer) ?? []);
    return { covers: "all", resources };
  }

  return {
    name: "extensions",
    parts: (proxy, push) => (isProxyless(proxy) ? [] : [extensionPart(proxy, push)]),
    concerns: only("Extension"),
    dependencies:
      ({ namespace }, push) =>
      (changed) =>
        policyApplies(changed, namespace, push),
    generate,
    conflicts: conflictsOf,
  };
}

function extensionPart(proxy: Proxy, push: PushContext): ExtensionPart {
  const { namespace, certificates, extensions: built } = proxy;
  const { httpWasm, networkWasm, lua } = filterCapabilitiesOf(built);
  const client = { fetches: certificates.type === "agent", httpWasm, networkWasm, lua };
  const { extensions } = outboundPolicyRefsFor(policyWorkloadOf(proxy, push), push);
  return { namespace, extensions, client };
}

/** The extensions that the proxy cannot run. */
function conflictsOf({ extensions, client }: ExtensionPart, push: PushContext): readonly Conflict[] {
  const found = extensions.flatMap((id) => push.extensions.get(id) ?? []);
  return found.flatMap((extension) => {
    const reason = extensionProblem(extension, client);
    if (reason === undefined) return [];
    return [{ type: "extension", about: extension.resourceName, winner: undefined, losers: [extension.owner], reason }];
  });
}
