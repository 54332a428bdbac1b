import type { JSX } from "preact";
import type { FieldCause, FieldCauses } from "../../../src/desk/api/model/why.ts";
import { useApi } from "../../app/use-api.ts";
import { WhenReady } from "../../parts/notice.tsx";
import { ObjectName } from "../../parts/object.tsx";

/** The lines of YAML that the value at this path of the API comes from. */
export function FieldCauseList({ path }: { readonly path: string }): JSX.Element {
  const watched = useApi<FieldCauses>(path);
  return (
    <WhenReady watched={watched}>
      {({ causes }) =>
        causes.length === 0 ? (
          <p class="part-note">No line of the mesh changes it: it is a default.</p>
        ) : (
          <ul class="plain part-note" aria-label="The lines behind the value">
            {causes.map((cause) => (
              <Cause key={`${cause.object.id} ${cause.field}`} cause={cause} />
            ))}
          </ul>
        )
      }
    </WhenReady>
  );
}

function Cause({ cause: { role, object, field, value } }: { readonly cause: FieldCause }): JSX.Element {
  return (
    <li>
      {role === "value" ? "given by" : "depends on"} <ObjectName object={object} />{" "}
      {field !== "" && (
        <code>
          {field}: {JSON.stringify(value)}
        </code>
      )}
    </li>
  );
}
