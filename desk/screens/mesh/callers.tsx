import { Fragment, type JSX } from "preact";
import type { CallerGroup, CallReason } from "../../../src/desk/api/model/mesh.ts";
import { ObjectName } from "../../parts/object.tsx";
import { sentence } from "../../parts/quantity.ts";
import { Status } from "../../parts/status.tsx";
import { Table } from "../../parts/table.tsx";
import { verdictTones, verdictWords } from "./call-words.ts";

const columns = [{ title: "Callers in" }, { title: "Verdict" }, { title: "Because" }] as const;

/** The callers that are allowed, and the objects that decide. */
export function Callers({ callers }: { readonly callers: readonly CallerGroup[] }): JSX.Element {
  return (
    <Table label="Callers" columns={columns} stacked>
      {callers.map(({ namespaces, verdict, reasons }) => (
        <tr key={namespaces[0] ?? ""}>
          <th scope="row">
            {namespaces.map((namespace, index) => (
              <Fragment key={namespace}>
                <span class="whole">
                  {namespace}
                  {index < namespaces.length - 1 && ","}
                </span>{" "}
              </Fragment>
            ))}
          </th>
          <td class="verdict">
            <Status tone={verdictTones[verdict]}>{verdictWords[verdict]}</Status>
          </td>
          <td>
            <ul class="plain">
              {reasons.map((reason) => (
                <Reason key={`${reason.text} ${reason.objects[0]?.id ?? ""}`} reason={reason} />
              ))}
            </ul>
          </td>
        </tr>
      ))}
    </Table>
  );
}

function Reason({ reason: { text, objects } }: { readonly reason: CallReason }): JSX.Element {
  return (
    <li>
      {sentence(text)}{" "}
      {objects.map((object) => (
        <ObjectName key={object.id} object={object} />
      ))}
    </li>
  );
}
