import type { JSX } from "preact";
import type { ConflictListing, MeshConflict } from "../../../src/desk/api/model/mesh.ts";
import { useApi } from "../../app/use-api.ts";
import { useRefreshWhile } from "../../app/use-refresh-while.ts";
import { Empty, WhenReady } from "../../parts/notice.tsx";
import { ObjectName } from "../../parts/object.tsx";
import { count, sentence } from "../../parts/quantity.ts";
import { Status } from "../../parts/status.tsx";
import { Section, Table } from "../../parts/table.tsx";
import { MeshPage } from "./mesh-page.tsx";

const columns = [{ title: "About" }, { title: "Winner" }, { title: "Losers" }] as const;

/** Objects that claim the same thing. */
export function Conflicts(): JSX.Element {
  const watched = useApi<ConflictListing>("/mesh/conflicts", ({ type }) =>
    type === "configuration" || type === "proxies" ? "refetch" : undefined,
  );
  const { loaded, refresh } = watched;
  useRefreshWhile(loaded.type === "ready" && loaded.value.pending, loaded, refresh);
  return (
    <MeshPage current="/mesh/conflicts">
      <WhenReady watched={watched}>
        {({ items, total }) =>
          total === 0 ? (
            <Empty title="No objects conflict.">
              <p>Conflicts are found in the configuration of connected proxies.</p>
            </Empty>
          ) : (
            <Section
              title="Several objects claim the same thing"
              aside={
                total > items.length && (
                  <span class="hint">
                    The first {count(items.length)} of {count(total)}
                  </span>
                )
              }
            >
              <Table label="Conflicts" columns={columns} stacked>
                {items.map((conflict) => (
                  <Row key={JSON.stringify(conflict)} conflict={conflict} />
                ))}
              </Table>
            </Section>
          )
        }
      </WhenReady>
    </MeshPage>
  );
}

function Row({ conflict: { type, about, winner, losers, reason } }: { readonly conflict: MeshConflict }): JSX.Element {
  return (
    <tr>
      <th scope="row">
        <Status tone="warning">
          {type}: {about}
        </Status>
        <div class="hint">{sentence(reason)}</div>
      </th>
      <td data-head="Winner">
        {winner === undefined ? "the mesh, or an object that you may not see" : <ObjectName object={winner} />}
      </td>
      <td data-head={losers.length === 1 ? "Loser" : "Losers"}>
        <ul class="plain">
          {losers.map((loser) => (
            <li key={loser.id}>
              <ObjectName object={loser} />
            </li>
          ))}
        </ul>
      </td>
    </tr>
  );
}
