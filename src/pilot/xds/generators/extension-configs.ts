import type { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import { kindNameOf } from "../../model/config-id.ts";
import type { Conflict } from "../../model/conflict.ts";
import type { KeyAccess } from "../../model/credential/key-access.ts";
import type { Extension } from "../../model/policy/extension.ts";
import { type ExtensionClient, extensionProblem } from "../../model/policy/extension-support.ts";
import { policyWorkloadOf } from "../../model/policy/policy-workload.ts";
import { pullSecretIdOf, pullSecretOf } from "../../model/policy/pull-secret.ts";
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
  /** Whether the proxy may have pull secrets. Only of interest where an extension has one, so that others share a part. */
  readonly keys: KeyAccess | undefined;
}

/** ECDS: the configurations of the Wasm filters in the listeners of a proxy. They are few, so each run builds all. */
export function extensionConfigs(writer: ProtoWriter): PartFamily<ExtensionPart> {
  function generate({ inputs, push }: GeneratorRun<ExtensionPart>): Generated {
    const { client, extensions, keys = "not-authenticated" } = inputs;
    const resources = extensionsOf(extensions, push).flatMap((extension) => {
      return buildExtensionConfig(extension, client, pullSecretOf(extension, keys, push), writer) ?? [];
    });
    return { covers: "all", resources };
  }

  return {
    name: "extensions",
    parts: (proxy, push) => (isProxyless(proxy) ? [] : [extensionPart(proxy, push)]),
    concerns: only("Extension", "Secret"),
    dependencies({ namespace, extensions }, push) {
      const secrets = new Set(extensionsOf(extensions, push).map(pullSecretIdOf));
      return (changed) => {
        return kindNameOf(changed) === "Secret" ? secrets.has(changed) : policyApplies(changed, namespace, push);
      };
    },
    generate,
    conflicts: conflictsOf,
  };
}

function extensionPart(proxy: Proxy, push: PushContext): ExtensionPart {
  const { namespace, certificates, extensions: built, keyAccess = "not-authenticated" } = proxy;
  const { httpWasm, networkWasm, lua } = filterCapabilitiesOf(built);
  const client = { fetches: certificates.type === "agent", httpWasm, networkWasm, lua };
  const { extensions } = outboundPolicyRefsFor(policyWorkloadOf(proxy, push), push);
  const pulls = extensionsOf(extensions, push).some((extension) => pullSecretIdOf(extension) !== undefined);
  return { namespace, extensions, client, keys: pulls ? keyAccess : undefined };
}

function extensionsOf(ids: readonly string[], push: PushContext): readonly Extension[] {
  return ids.flatMap((id) => push.extensions.get(id) ?? []);
}

/** The extensions that the proxy cannot run. */
function conflictsOf(part: ExtensionPart, push: PushContext): readonly Conflict[] {
  const { extensions, client, keys = "not-authenticated" } = part;
  return extensionsOf(extensions, push).flatMap((extension) => {
    const pull = pullSecretOf(extension, keys, push);
    const reason = extensionProblem(extension, client, pull.type === "withheld" ? pull.cause : undefined);
    if (reason === undefined) return [];
    return [{ type: "extension", about: extension.resourceName, winner: undefined, losers: [extension.owner], reason }];
  });
}
