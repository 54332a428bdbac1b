import type { JSX } from "preact";
import type { TypeSyncDetail } from "../../../src/desk/api/model/proxies.ts";
import { Moment } from "../../parts/moment.tsx";
import { count } from "../../parts/quantity.ts";
import { Status } from "../../parts/status.tsx";
import { Table } from "../../parts/table.tsx";
import { syncTones } from "./proxy-state.ts";

const columns = [
  { title: "Type" },
  { title: "Status" },
  { title: "Resources", kind: "number" },
  { title: "Requested", kind: "wide number" },
  { title: "Sent version", kind: "wide" },
  { title: "Acknowledged version", kind: "wide" },
  { title: "Sent", kind: "wide" },
] as const;

/** The versions that the server sent and the proxy acknowledged, per type. */
export function SyncTable({ sync }: { readonly sync: readonly TypeSyncDetail[] }): JSX.Element {
  return (
    <Table label="Sync per type" columns={columns}>
      {sync.map((type) => (
        <tr key={type.type}>
          <th scope="row" title={type.typeUrl}>
            {type.type}
          </th>
          <td>
            <Status tone={syncTones[type.status]}>{type.status}</Status>
          </td>
          <td class="number">{count(type.resources)}</td>
          <td class="wide number">{type.wildcard ? "all" : count(type.requested)}</td>
          <td class="wide">
            <Version version={type.sent} />
          </td>
          <td class="wide">
            <Version version={type.acknowledged} />
          </td>
          <td class="wide">{type.sentAt === undefined ? "–" : <Moment at={type.sentAt} />}</td>
        </tr>
      ))}
    </Table>
  );
}

function Version({ version }: { readonly version: string }): JSX.Element {
  return version === "" ? <>–</> : <code>{version}</code>;
}
