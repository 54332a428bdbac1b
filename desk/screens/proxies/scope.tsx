import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { ProxyDetail, ScopeListing } from "../../../src/desk/api/model/proxies.ts";
import { pathTo } from "../../app/router.tsx";
import { useOffer } from "../../app/session.ts";
import { usePages } from "../../app/use-pages.ts";
import { Empty, Failure } from "../../parts/notice.tsx";
import { ObjectName } from "../../parts/object.tsx";
import { counted, sentence } from "../../parts/quantity.ts";
import { Section } from "../../parts/table.tsx";
import { VirtualTable } from "../../parts/virtual-table.tsx";

/** The services that the proxy sees, and why. */
export function Scope({ proxy: { node, scope } }: { readonly proxy: ProxyDetail }): JSX.Element {
  const hasServices = useOffer("/proxies/NODE/services");
  const [open, setOpen] = useState(false);
  return (
    <Section title="Scope">
      <p>
        <b>{counted(scope.services, "service", "services")}</b>. {sentence(scope.why)}
      </p>
      {scope.sidecar !== undefined && (
        <p>
          Narrowed by <ObjectName object={scope.sidecar} />
        </p>
      )}
      {hasServices && scope.services > 0 && (
        <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
          <summary>Services, and why the proxy sees each</summary>
          {open && <Services node={node} />}
        </details>
      )}
    </Section>
  );
}

const columns = [{ title: "Service" }, { title: "Why" }] as const;

function Services({ node }: { readonly node: string }): JSX.Element {
  const [search, setSearch] = useState("");
  const { items, total, loading, failure, retry, show } = usePages<ScopeListing>(
    `${pathTo("proxies", node)}/services`,
    search === "" ? "" : `&search=${encodeURIComponent(search)}`,
    (type) => type === "configuration",
  );
  return (
    <div class="stack">
      <label class="field">
        Search by hostname or namespace
        <input type="search" value={search} onInput={({ currentTarget }) => setSearch(currentTarget.value.trim())} />
      </label>
      {failure !== undefined && <Failure failure={failure} retry={retry} stale={items.length > 0} />}
      {!loading && failure === undefined && total === 0 && (
        <Empty title="The proxy sees no such service.">
          <p>Look at its exportTo, and at the Sidecar that selects the proxy.</p>
        </Empty>
      )}
      {items.length > 0 && (
        <VirtualTable
          label="Services in scope"
          columns={columns}
          items={items}
          total={total}
          keyOf={({ hostname, namespace }) => `${hostname} ${namespace}`}
          row={({ hostname, ports, why }) => (
            <>
              <th scope="row" title={hostname}>
                {hostname} <span class="hint">{ports.join(", ")}</span>
              </th>
              <td title={why}>{why}</td>
            </>
          )}
          onRange={show}
        />
      )}
    </div>
  );
}
