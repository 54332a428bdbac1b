import { type Config, configKey } from "../../../src/config/config.ts";
import type { Kind } from "../../../src/config/kind.ts";
import { parseConfigs } from "../../../src/config/parse/parse.ts";
import { EtcdContent } from "../../../src/galley/source/etcd/etcd-content.ts";
import { FileContent } from "../../../src/galley/source/file/file-content.ts";
import { FileTree } from "../../../src/galley/source/file/file-tree.ts";
import { KindContent } from "../../../src/galley/source/kube/kind-content.ts";
import type { SourceEvent } from "../../../src/galley/source/source.ts";
import { kubeObject } from "../../../src/kube/kube-object.ts";
import { FakeClock } from "../../../src/testing/fake-clock.ts";
import { emptyGraceMs } from "../../../src/galley/source/empty-guard.ts";
import { MeshError } from "../../../src/lib/errors.ts";

/** The text of each policy, by `namespace/name`. */
export type PolicyTexts = ReadonlyMap<string, string>;

/** A source of policies, as far as it decides which versions are in force. */
export interface PolicyHolder {
  /** Takes the current texts. False if it does not say yet which policies there are. */
  take(texts: PolicyTexts): Promise<boolean>;
  /** The policies in force, by `namespace/name`. */
  readonly policies: ReadonlyMap<string, Config>;
}

/** The policies that a source has reported. */
export class InForce {
  readonly policies = new Map<string, Config>();

  readonly handle = (events: Iterable<SourceEvent>): void => {
    for (const event of events) {
      if (event.type === "upserted") this.policies.set(configKey(event.config), event.config);
      if (event.type === "deleted") this.policies.delete(event.key);
    }
  };
}

/** One file per policy. */
export function fileHolder(kind: Kind): PolicyHolder {
  const content = new FileContent(() => kind.collection);
  const inForce = new InForce();
  let started = false;
  return {
    async take(texts) {
      const views = Array.from(texts, ([key, text]) => {
        const file = `${key.replace("/", "-")}.yaml`;
        const parsed = parseConfigs({ text, file, source: "test", kinds: [kind], defaultNamespace: "default" });
        return [file, { type: "read", text, parsed, leftOut: 0 }] as const;
      });
      // Like the source of directories: it does not start while a document may be any policy.
      const hides = views.some(([, { text, parsed }]) => parsed.unidentified && text.includes(kind.kind));
      if (!started && hides) return false;
      started = true;
      inForce.handle(content.take(new FileTree(views)));
      return true;
    },
    policies: inForce.policies,
  };
}

/** One key per policy. */
export function etcdHolder(kind: Kind): PolicyHolder {
  const content = new EtcdContent({ prefix: "/mesh", source: "test", kinds: [kind] });
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
      const entries = Array.from(revisions, ([key, entry]) => ({
        ...entry,
        key: `/mesh/${kind.group}/${kind.plural}/${key}`,
      }));
      for (const { text, ...entry } of entries) inForce.handle(content.put({ ...entry, value: Buffer.from(text) }));
      inForce.handle(content.retain(new Set(entries.map(({ key }) => key))));
      return true;
    },
    policies: inForce.policies,
  };
}

/** Objects of an API server. They are always valid JSON. */
export function kubeHolder(kind: Kind): PolicyHolder {
  const inForce = new InForce();
  const clock = new FakeClock();
  const emit = inForce.handle;
  const content = new KindContent({ kind, source: "test", isSelected: () => true, emit, clock, maxObjects: 100 });
  const read = async (texts: ReadonlyMap<string, string>) => {
    const pass = content.begin();
    const objects = Array.from(texts.values(), (text) => kubeObject(JSON.parse(text)));
    await pass.take(objects.map((object) => ({ type: "ADDED", object })));
    pass.end();
  };
  return {
    async take(texts) {
      try {
        await read(texts);
      } catch (thrown) {
        // An empty list is doubted at first. The source reads again until the doubt ends.
        if (texts.size > 0 || MeshError.from(thrown).code !== "source-unavailable") throw thrown;
        clock.advance(emptyGraceMs);
        await read(texts);
      }
      return true;
    },
    policies: inForce.policies,
  };
}
