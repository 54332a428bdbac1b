import type { JSX } from "preact";
import type { CertificateFacts } from "../../../src/desk/api/model/control-plane.ts";
import { duration } from "../../parts/quantity.ts";
import { Status, type Tone } from "../../parts/status.tsx";
import { Section, Table } from "../../parts/table.tsx";

const columns = [{ title: "Certificate" }, { title: "Expires" }] as const;
const dayMs = 86_400_000;

/** Certificates of listeners and of the authority, the first to expire first. */
export function Certificates({ certificates }: { readonly certificates: readonly CertificateFacts[] }): JSX.Element {
  return (
    <Section title="Certificates">
      {certificates.length === 0 ? (
        <p class="hint">
          The server shows no certificate. Proxies connect in plain text; <code>--xds-tls</code> and <code>--ca</code>{" "}
          change that.
        </p>
      ) : (
        <Table label="Certificates" columns={columns}>
          {certificates.map(({ name, subject, expires }) => (
            <tr key={`${name} ${subject}`}>
              <th scope="row">
                {name} <div class="hint">{subject}</div>
              </th>
              <td>
                <Expiry at={expires} />
              </td>
            </tr>
          ))}
        </Table>
      )}
    </Section>
  );
}

function Expiry({ at }: { readonly at: string }): JSX.Element {
  const leftMs = Date.parse(at) - Date.now();
  const tone: Tone = leftMs <= 0 ? "error" : leftMs < dayMs ? "warning" : "ok";
  return (
    <Status tone={tone} title={new Date(at).toLocaleString()}>
      {leftMs <= 0 ? "expired" : `in ${duration(leftMs)}`}
    </Status>
  );
}
