import type { AuthorizationPolicy as IstioAuthorizationPolicy } from "#gen/istio/security/v1beta1/authorization_policy_pb.js";
import { type Config, configKey } from "../../../src/config/config.ts";
import { authorizationPolicy } from "../../../src/config/kinds/authorization-policy.ts";
import { parseConfigs } from "../../../src/config/parse/parse.ts";
import { EtcdContent } from "../../../src/galley/source/etcd/etcd-content.ts";
import { FileContent } from "../../../src/galley/source/file/file-content.ts";
import { FileTree } from "../../../src/galley/source/file/file-tree.ts";
import { KindContent } from "../../../src/galley/source/kube/kind-content.ts";
import type { SourceEvent } from "../../../src/galley/source/source.ts";
import { kubeObject } from "../../../src/kube/kube-object.ts";
import type { AuthorizationPolicy } from "../../../src/pilot/model/policy/authorization-policy.ts";
import { authorizationPolicyOf } from "../../../src/pilot/registry/policy/authorization-policy.ts";
import { FakeClock } from "../../../src/testing/fake-clock.ts";

/** The text of each policy, by `namespace/name`. */
export type PolicyTexts = ReadonlyMap<string, string>;

/** A source of policies, as far as it decides which versions are in force. */
export interface PolicyHolder {
  /** Takes the current texts. False if it does not say yet which policies there are. */
  take(texts: PolicyTexts): Promise<boolean>;
  readonly policies: readonly AuthorizationPolicy[];
}

class InForce {
  readonly #configs = new Map<string, Config>();

  readonly handle = (events: Iterable<SourceEvent>): void => {
    for (const event of events) {
      if (event.type === "upserted") this.#configs.set(configKey(event.config), event.config);
      if (event.type === "deleted") this.#configs.delete(event.key);
    }
  };

  get policies(): readonly AuthorizationPolicy[] {
    return Array.from(this.#configs.values(), (config) =>
      authorizationPolicyOf(config as Config<IstioAuthorizationPolicy>),
    );
  }
}

const kinds = [authorizationPolicy];

/** One file per policy. */
export function fileHolder(): PolicyHolder {
  const content = new FileContent(() => authorizationPolicy.collection);
  const inForce = new InForce();
  let started = false;
  return {
    async take(texts) {
      const views = Array.from(texts, ([key, text]) => {
        const file = `${key.replace("/", "-")}.yaml`;
        const parsed = parseConfigs({ text, file, source: "test", kinds, defaultNamespace: "default" });
        return [file, { type: "read", text, parsed }] as const;
      });
      // Like the source of directories: it does not start while a document may be any policy.
      const hides = views.some(([, { text, parsed }]) => parsed.unidentified && text.includes("AuthorizationPolicy"));
      if (!started && hides) return false;
      started = true;
      inForce.handle(content.take(new FileTree(views)));
      return true;
    },
    get policies() {
      return inForce.policies;
    },
  };
}

/** One key per policy. */
export function etcdHolder(): PolicyHolder {
  const content = new EtcdContent({ prefix: "/mesh", source: "test", kinds });
  const inForce = new InForce();
  const revisions = new Map<string, { readonly text: string; readonly revision: number; readonly since: number }>();
  let revision = 0;
  return {
    async take(texts) {
      for (const key of revisions.keys()) if (!texts.has(key)) revisions.delete(key);
      for (const [key, text] of texts) {
        const before = revisions.get(key);
        if (before?.text === text) continue;
        revision += 1;
        revisions.set(key, { text, revision, since: before?.since ?? revision });
      }
      const entries = Array.from(revisions, ([key, entry]) => ({ ...entry, key: etcdKey(key) }));
      for (const { text, ...entry } of entries) inForce.handle(content.put({ ...entry, value: Buffer.from(text) }));
      inForce.handle(content.retain(new Set(entries.map(({ key }) => key))));
      return true;
    },
    get policies() {
      return inForce.policies;
    },
  };
}

function etcdKey(key: string): string {
  return `/mesh/security.istio.io/authorizationpolicies/${key}`;
}

/** Objects of an API server. They are always valid JSON. */
export function kubeHolder(): PolicyHolder {
  const inForce = new InForce();
  const content = new KindContent({
    kind: authorizationPolicy,
    source: "test",
    isSelected: () => true,
    emit: inForce.handle,
    clock: new FakeClock(),
    maxObjects: 100,
  });
  return {
    async take(texts) {
      const pass = content.begin();
      const objects = Array.from(texts.values(), (text) => kubeObject(JSON.parse(text)));
      await pass.take(objects.map((object) => ({ type: "ADDED", object })));
      pass.end();
      return true;
    },
    get policies() {
      return inForce.policies;
    },
  };
}
