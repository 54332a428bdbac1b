import type { JSX } from "preact";
import type { ProxyCounts } from "../../../src/desk/api/model/overview.ts";
import { Link } from "../../app/router.tsx";
import { Meter } from "../../parts/meter.tsx";
import { count } from "../../parts/quantity.ts";
import { Status } from "../../parts/status.tsx";
import { Section } from "../../parts/table.tsx";
import { proxyStates } from "../proxies/proxy-state.ts";

/** Connected proxies by their state. Each count leads to its proxies. */
export function ProxyShares({ counts }: { readonly counts: ProxyCounts }): JSX.Element {
  const shares = proxyStates.map(({ state, tone, word }) => ({ state, tone, word, value: counts[state] }));
  return (
    <Section title="Proxies" aside={<Link href="/proxies">All proxies</Link>}>
      <p class="figure">
        {count(counts.total)} <span>connected</span>
      </p>
      {counts.total > 0 && <Meter shares={shares} label="Proxies" />}
      {counts.total === 0 ? (
        <p class="hint">
          Connect an Envoy with <code>binnacle bootstrap envoy</code>, or virtual ones with <code>binnacle fleet</code>.
        </p>
      ) : (
        <ul class="counts">
          {shares.map(({ state, tone, word, value }) => (
            <li key={state}>
              <Link href={`/proxies?state=${state}`}>
                <Status tone={value === 0 ? "off" : tone}>
                  <b>{count(value)}</b> {word}
                </Status>
              </Link>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}
