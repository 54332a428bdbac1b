import { mkdir } from "node:fs/promises";
import { kinds } from "../../src/config/kinds.ts";
import { createFileSource } from "../../src/galley/source/file/file-source.ts";
import { FakeClock } from "../../src/testing/fake-clock.ts";
import { settle, TempTree } from "../../src/testing/temp-tree.ts";
import { describeSource, type SourceSubject } from "./describe-source.ts";
import { writtenDocuments } from "./written-documents.ts";

function fileOf(kind: string, namespace: string, name: string): string {
  return `mesh/${namespace}/${kind}-${name}.yaml`;
}

/** One object per file, in a folder per namespace. */
async function fileSubject(write: "write" | "replace"): Promise<SourceSubject> {
  const tree = await TempTree.create();
  const clock = new FakeClock();
  await mkdir(tree.path("mesh"));
  const source = createFileSource({ directory: tree.path("mesh"), kinds, clock });
  return {
    source,
    async put(yaml) {
      for (const { kind, namespace, name, text } of writtenDocuments(yaml)) {
        await tree[write](fileOf(kind, namespace, name), text);
      }
    },
    remove: (kind, namespace, name) => tree.remove(fileOf(kind, namespace, name)),
    async idle() {
      await tree.noticed();
      await settle(source, clock);
    },
    close: () => tree.close(),
  };
}

describeSource("a directory of files written in place", () => fileSubject("write"), { losesTrack: false });
describeSource("a directory of files replaced by rename", () => fileSubject("replace"), { losesTrack: false });
