import { expect, test } from "vitest";
import { kinds } from "../../src/config/kinds.ts";
import { collectionsOf, transformsFor } from "../../src/galley/processor/transforms.ts";
import { mcpCollections } from "../../src/mcp/collections.ts";

test("exactly the published collections of Galley are sent, never Secrets", () => {
  const transforms = transformsFor(kinds);
  const leaving = [...collectionsOf("default", transforms), ...collectionsOf("syntheticServiceEntry", transforms)];
  const names = mcpCollections.map(({ name }) => name);
  expect(names.toSorted()).toEqual([...new Set(leaving)].toSorted());
  expect(names).not.toContain("k8s/core/v1/secrets");
});
