import type { JSX } from "preact";
import type { ChangeDetail, PushedType, PushRecord } from "../../../src/desk/api/model/changes.ts";
import { Link, pathTo } from "../../app/router.tsx";
import { Moment } from "../../parts/moment.tsx";
import { bytes, count, counted, duration } from "../../parts/quantity.ts";
import { Table } from "../../parts/table.tsx";
import { Step } from "./step.tsx";

/** The push that carries the change: what was built and sent. */
export function PushStep({ change }: { readonly change: ChangeDetail }): JSX.Element {
  const { state, push, id } = change;
  if (state.type === "failed")
    return (
      <Step tone="error" title="The push failed">
        <p class="words">{state.reason}</p>
        <p>The server tries it again. Proxies keep their last configuration.</p>
      </Step>
    );
  if (state.type === "not pushed")
    return (
      <Step tone="off" title="Not pushed">
        <p>No proxy uses the changed fields, so nothing had to be sent.</p>
      </Step>
    );
  if (push === undefined)
    return (
      <Step tone="wait" title="Waiting for the push">
        <p>Changes within the debounce time share a push.</p>
      </Step>
    );
  return (
    <Step tone="ok" title={`Push ${count(push.number)}`}>
      <p>
        <Moment at={push.at} /> · waited {duration(push.debouncedMs)}, built in {duration(push.buildMs)}
        {push.reasons.length > 0 && ` · because of ${push.reasons.join(", ")}`}
      </p>
      <Companions push={push} id={id} />
      {push.types !== undefined && push.types.length > 0 && <SentTypes types={push.types} />}
    </Step>
  );
}

/** Other changes in the same push. */
function Companions({ push, id }: { readonly push: PushRecord; readonly id: string }): JSX.Element | null {
  const others = push.changes.items.filter((each) => each !== id);
  if (others.length === 0) return null;
  return (
    <p class="hint">
      Together with {counted(push.changes.total - 1, "other change", "other changes")}:{" "}
      {others.slice(0, 8).map((other, index) => (
        <span key={other}>
          {index > 0 && ", "}
          <Link href={pathTo("changes", other)}>{other}</Link>
        </span>
      ))}
      {push.changes.total - 1 > 8 && " …"}
    </p>
  );
}

const columns = [
  { title: "Type" },
  { title: "Responses", kind: "number" },
  { title: "Resources", kind: "number" },
  { title: "Removed", kind: "wide number" },
  { title: "Bytes", kind: "number" },
] as const;

function SentTypes({ types }: { readonly types: readonly PushedType[] }): JSX.Element {
  return (
    <Table label="Sent by type" columns={columns}>
      {types.map(({ type, responses, resources, removed, bytes: size }) => (
        <tr key={type}>
          <th scope="row">{type}</th>
          <td class="number">{count(responses)}</td>
          <td class="number">{count(resources)}</td>
          <td class="wide number">{count(removed)}</td>
          <td class="number">{bytes(size)}</td>
        </tr>
      ))}
    </Table>
  );
}
