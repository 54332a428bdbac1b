import { configKey } from "../../src/config/config.ts";
import { kindOf, kinds } from "../../src/config/kinds.ts";
import { parseConfigs } from "../../src/config/parse/parse.ts";
import { MemorySource } from "../../src/galley/source/memory-source.ts";
import { OptionalSource } from "../../src/galley/source/optional-source.ts";
import { BoundedSource } from "../../src/galley/source/room/bounded-source.ts";
import { Ledger } from "../../src/galley/source/room/ledger.ts";
import { Room } from "../../src/galley/source/room/room.ts";
import type { Source } from "../../src/galley/source/source.ts";
import { FakeClock } from "../../src/testing/fake-clock.ts";
import { describeSource, type SourceSubject } from "./describe-source.ts";

function memorySubject(dress: (source: MemorySource) => Source): Promise<SourceSubject> {
  const source = new MemorySource({ name: "memory:test", collections: kinds.map(({ collection }) => collection) });
  return Promise.resolve({
    source: dress(source),
    put(yaml) {
      const input = { text: yaml, file: "test.yaml", source: source.name, kinds, defaultNamespace: "default" };
      const { configs, issues } = parseConfigs(input);
      source.batch(() => {
        for (const config of configs) {
          source.set(kindOf(config.apiVersion, config.kind)?.collection ?? "", config);
          source.report(configKey(config), []);
        }
        for (const issue of issues) source.report(issue.object.replace(/^\w+ /u, ""), [issue]);
      });
      return Promise.resolve();
    },
    remove(kind, namespace, name) {
      const row = kinds.find((candidate) => candidate.kind === kind);
      source.delete(row?.collection ?? "", configKey({ namespace, name }));
      return Promise.resolve();
    },
    reset: () => Promise.resolve(source.reset()),
    idle: () => source.idle(),
    close: () => Promise.resolve(),
  });
}

function optional(source: Source): Source {
  return new OptionalSource(source, { clock: new FakeClock(), waitMs: 1000 });
}

function bounded(source: Source): Source {
  const room = new Room({ objectBytes: 1e9, totalBytes: 1e9 });
  return new BoundedSource(source, { clock: new FakeClock(), ledger: new Ledger({ room, isEssential: () => false }) });
}

describeSource("MemorySource", () => memorySubject((source) => source), { losesTrack: true });
describeSource("an optional MemorySource", () => memorySubject(optional), { losesTrack: true });
describeSource("a bounded MemorySource", () => memorySubject(bounded), { losesTrack: true });
