import { describe, expect, test } from "vitest";
import { nameOf, openTable } from "./policy-table/open-table.ts";
import { expectedProof, proofOf } from "./policy-table/prove.ts";
import { areas } from "./policy-table/rows.ts";
import { describeWith } from "./support/peers.ts";
import { shared } from "./support/shared.ts";

const describeWithEnvoy = await describeWith("envoy");
const groups = areas.flatMap((area) => area.groups);

/** `policy-table/row.ts` says how to add rows. */
describeWithEnvoy("policies", () => {
  const table = shared((stack) => openTable(areas, stack));

  describe.each(groups.map((group) => ({ about: group.about, group })))("$about", ({ group }) => {
    test.each(group.rows.map((row) => ({ name: row.name, row })))("$name", async ({ row }) => {
      const open = table().groupOf(group);
      expect(await proofOf(row, open, table())).toEqual(expectedProof(row, open, table()));
      await row.check?.({ peer: table().peer, envoy: open.envoy });
    });
  });
});

test("every group has a name of its own", () => {
  const names = groups.map(nameOf);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});
